internal import CAllocations
internal import CommonStream
internal import Comparing
internal import Synchronization
internal import WeirCore
internal import WeirGraphs
internal import WeirSelection
internal import WeirSignals

/// How many allocations changes and elements take, after the start.
enum Allocations {
    private static let changes = 1000

    /// Changes of a signal whose chain ends in a listener.
    static func chain() -> Double {
        let root = MutableSignal(0)
        var last: Signal<Int> = root
        for _ in 0..<100 {
            let below = last
            last = Signal { below() &+ 1 }
        }
        return counted(changing: root, last)
    }

    static func diamond() -> Double {
        let root = MutableSignal(0)
        let middle = (0..<100).map { index in Signal { root() &+ index } }
        return counted(changing: root, Signal { middle.reduce(0) { $0 &+ $1() } })
    }

    /// Each change makes the last signal read another one than before.
    static func dynamic() -> Double {
        let root = MutableSignal(0)
        let middle = (0..<100).map { index in Signal { root() &+ index } }
        return counted(changing: root, Signal { middle[root() % 100]() &+ middle[root() % 7]() })
    }

    private static func counted(changing root: MutableSignal<Int>, _ last: Signal<Int>) -> Double {
        var seen = 0
        let observation = last.observe { seen &+= $0 }
        for value in 1...changes { root.value = value }
        let before = callocations_count()
        for value in 1...changes { root.value = changes + value }
        let after = callocations_count()
        observation.cancel()
        return before < 0 ? .nan : Double(after - before)
    }

    static func fused() throws -> Double {
        let events = HalfCounted(Numbers.events)
        let flow = Source(of: events).operators { events in
            events.filter { $0.value > 0.1 }.map { $0.value * 2 }.map { $0 + 1 }.filter { $0 < 2.9 }
                .scan(into: 0.0) { $0 += $1 }
        }
        _ = try flow.to(.fold(into: 0.0) { $0 = $1 }).run().wait()
        return events.allocations
    }

    static func apart() throws -> Double {
        let events = HalfCounted(Numbers.events)
        let doubled = Source(of: events).filter { $0.value > 0.1 }.map { $0.value * 2 }
        let flow = doubled.map { $0 + 1 }.filter { $0 < 2.9 }.scan(into: 0.0) { $0 += $1 }
        _ = try flow.to(.fold(into: 0.0) { $0 = $1 }).run().wait()
        return events.allocations
    }

    static func boundary() throws -> Double {
        let events = HalfCounted(Numbers.events)
        _ = try Source(of: events).async(capacity: 1024).to(.fold(into: 0) { count, _ in count += 1 }).run().wait()
        return events.allocations
    }
}

/// The elements of an array; counts the allocations, on all threads, from the middle one to the last.
private struct HalfCounted: Sequence, Sendable {
    fileprivate final class Counts: Sendable {
        let middle = Atomic<Int64>(0)
        let end = Atomic<Int64>(0)
    }

    struct Iterator: IteratorProtocol {
        private let elements: [StreamEvent]
        private let counts: Counts
        private var place = 0

        fileprivate init(_ elements: [StreamEvent], _ counts: Counts) {
            self.elements = elements
            self.counts = counts
        }

        mutating func next() -> StreamEvent? {
            if place == elements.count / 2 { counts.middle.store(callocations_count(), ordering: .relaxed) }
            guard place < elements.count else {
                counts.end.store(callocations_count(), ordering: .relaxed)
                return nil
            }
            defer { place += 1 }
            return elements[place]
        }
    }

    private let elements: [StreamEvent]
    private let counts = Counts()

    init(_ elements: [StreamEvent]) {
        self.elements = elements
    }

    var allocations: Double {
        let middle = counts.middle.load(ordering: .relaxed)
        return middle < 0 ? .nan : Double(counts.end.load(ordering: .relaxed) - middle)
    }

    func makeIterator() -> Iterator { Iterator(elements, counts) }
}
