import Testing
import WeirCore
import WeirSelection
import WeirTesting

/// Every operator against a reference that sees the whole recorded stream.
@Suite struct ReferenceTests {
    @Test func filter() {
        Script.compare {
            $0.filter { $0.value > 0 }
        } with: { signals in
            signals.flatMap { $0.map { $0.value > 0 ? [$0] : [] } }
        }
    }

    @Test func map() {
        Script.compare {
            $0.map { $0.value * 2 }
        } with: { signals in
            signals.flatMap { $0.map { [$0.value * 2] } }
        }
    }

    @Test func scan() {
        Script.compare {
            $0.scan(into: 0) { $0 += $1.value }
        } with: { signals in
            var sum = 0
            return signals.flatMap { signal in
                sum += signal.element?.value ?? 0
                return signal.map { _ in [sum] }
            }
        }
    }

    @Test func compactMap() {
        Script.compare {
            $0.compactMap { $0.value > 0 ? $0.value * 2 : nil }
        } with: { signals in
            signals.flatMap { $0.map { $0.value > 0 ? [$0.value * 2] : [] } }
        }
    }

    @Test func flatMap() {
        Script.compare {
            $0.flatMap { 0..<max(0, $0.value) }
        } with: { signals in
            signals.flatMap { $0.map { Array(0..<max(0, $0.value)) } }
        }
    }

    @Test func tap() {
        Script.compare {
            $0.tap { _ in }
        } with: {
            $0
        }
    }

    @Test(arguments: [1, 2, 5])
    func take(count: Int) {
        Script.compare {
            $0.take(count)
        } with: { signals in
            let positions = signals.elementIndices
            return signals.ending(before: positions.count < count ? nil : positions[count - 1] + 1)
        }
    }

    @Test(arguments: [0, 1, 2, 5])
    func drop(count: Int) {
        Script.compare {
            $0.drop(count)
        } with: { signals in
            signals.without(signals.elementIndices.prefix(count))
        }
    }

    @Test func takeWhile() {
        Script.compare {
            $0.take(while: { $0.value < 2 })
        } with: { signals in
            signals.ending(before: signals.firstIndex { $0.element.map { $0.value >= 2 } ?? false })
        }
    }

    @Test func dropWhile() {
        Script.compare {
            $0.drop(while: { $0.value < 2 })
        } with: { signals in
            let first = signals.firstIndex { $0.element.map { $0.value >= 2 } ?? false } ?? signals.count
            return signals.without(signals.elementIndices.prefix { $0 < first })
        }
    }

    @Test(arguments: [-3, 0, 2] as [Int64])
    func takeUntil(milliseconds: Int64) {
        let end = Timestamp(millisecondsSinceEpoch: milliseconds)
        Script.compare {
            $0.take(until: end)
        } with: { signals in
            let closing = signals.firstIndex { if case .watermark(let mark) = $0 { mark >= end } else { false } }
            let early = signals[..<(closing ?? signals.count)].filter { signal in
                if case .element(_, let time) = signal { time < end } else { true }
            }
            return early + (closing == nil ? [] : [.watermark(end), .completion(.finished)])
        }
    }

    @Test func first() {
        Script.compare {
            $0.first()
        } with: { signals in
            signals.ending(before: signals.elementIndices.first.map { $0 + 1 })
        }
        Script.compare {
            $0.first { $0.value > 1 }
        } with: { signals in
            let small = signals.elementIndices.filter { (signals[$0].element?.value ?? 0) <= 1 }
            let rest = signals.without(small)
            return rest.ending(before: rest.elementIndices.first.map { $0 + 1 })
        }
    }

    @Test func last() {
        Script.compare {
            $0.last()
        } with: { signals in
            var output: [StreamSignal<Sample>] = []
            var sent = Timestamp.distantPast
            for (index, signal) in signals.enumerated() {
                let held = signals[..<index].last { $0.element != nil }
                switch signal {
                case .element: break
                case .watermark(let watermark):
                    let safe = min(watermark, held?.element?.timestamp ?? watermark)
                    if safe > sent { output.append(.watermark(safe)) }
                    sent = max(sent, safe)
                case .completion(.finished): output += [held].compactMap { $0 } + [signal]
                case .completion: output.append(signal)
                }
            }
            return output
        }
    }

    @Test(arguments: [0, 1, 4])
    func elementAt(position: Int) {
        Script.compare {
            $0.element(at: position)
        } with: { signals in
            let positions = signals.elementIndices
            let rest = signals.without(positions.prefix(position))
            return rest.ending(before: rest.elementIndices.first.map { $0 + 1 })
        }
    }

    @Test func failIfEmpty() {
        Script.compare {
            $0.filter { $0.value > 1 }.failIfEmpty()
        } with: { signals in
            let rest = signals.without(signals.elementIndices.filter { (signals[$0].element?.value ?? 0) <= 1 })
            guard rest.elementIndices.isEmpty else { return rest }
            return rest.map { $0 == .completion(.finished) ? .completion(.failed(SelectionError.noElement)) : $0 }
        }
    }

    @Test func changes() {
        let reference = { (signals: [StreamSignal<Sample>]) in
            let positions = signals.elementIndices
            let repeated = zip(positions, positions.dropFirst())
                .filter { signals[$0].element?.value == signals[$1].element?.value }
            return signals.without(repeated.map(\.1))
        }
        Script.compare({ $0.changes(of: \.value) }, with: reference)
        Script.compare({ $0.changes(of: { $0.value }) }, with: reference)
        Script.compare {
            $0.map(\.value).changes()
        } with: { signals in
            reference(signals).flatMap { $0.map { [$0.value] } }
        }
    }

    @Test func enumerated() {
        Script.compare {
            $0.enumerated().map { [$0.index, $0.element.value] }
        } with: { signals in
            var next = 0
            return signals.flatMap { signal in
                signal.map { sample in
                    defer { next += 1 }
                    return [[next, sample.value]]
                }
            }
        }
    }

    @Test func cast() {
        Script.compare {
            $0.map { $0 as any Event }.cast(to: Sample.self)
        } with: {
            $0
        }
        Script.compare {
            $0.map { $0 as any Event }.cast(to: Int.self)
        } with: { signals in
            signals.flatMap { $0.map { _ in [] } }
        }
    }
}
