import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// The watermarks and completions of a junction from those of its inputs.
struct ReferenceJunction {
    var watermarks: [Timestamp]
    var finished: [Bool]
    var watermark = Timestamp.distantPast

    init(inputs: Int) {
        watermarks = Array(repeating: .distantPast, count: inputs)
        finished = Array(repeating: false, count: inputs)
    }

    enum Event {
        case element(Int, Keyed)
        case watermark(Timestamp)
        case completion(Completion)
    }

    /// What the operator sees, until the end.
    static func events(_ arrivals: [Arrival], inputs: Int) -> [Event] {
        var junction = ReferenceJunction(inputs: inputs)
        var events: [Event] = []
        for arrival in arrivals {
            switch arrival.signal {
            case .element(let element, _): events.append(.element(arrival.input, element))
            case .watermark(let watermark): junction.watermarks[arrival.input] = watermark
            case .completion(.finished):
                junction.finished[arrival.input] = true
                junction.watermarks[arrival.input] = .distantFuture
                if junction.finished.allSatisfy({ $0 }) { return events + [.completion(.finished)] }
            case .completion(let completion): return events + [.completion(completion)]
            }
            let earliest = junction.watermarks.min() ?? .distantPast
            if earliest > junction.watermark {
                junction.watermark = earliest
                events.append(.watermark(earliest))
            }
        }
        return events
    }
}

@Suite struct UnionTests {
    private func reference(_ arrivals: [Arrival], inputs: Int) -> Outcome<Keyed> {
        Outcome(
            signals: ReferenceJunction.events(arrivals, inputs: inputs).map { event in
                switch event {
                case .element(_, let element): .element(element, element.timestamp)
                case .watermark(let watermark): .watermark(watermark)
                case .completion(let completion): .completion(completion)
                }
            }
        )
    }

    @Test func unionOfTwo() {
        compare(inputs: 2) {
            $0[0].union($0[1])
        } with: {
            reference($0, inputs: 2)
        }
    }

    @Test func unionOfMany() {
        compare(inputs: 3) {
            $0.union()
        } with: {
            reference($0, inputs: 3)
        }
        let none = Recorder([EventChannel<Keyed>]().union())
        #expect(none.signals == [.completion(.finished)])
    }

    @Test func unionIsAssociative() {
        compare(inputs: 3) {
            $0[0].union($0[1].union($0[2]))
        } with: {
            reference($0, inputs: 3)
        }
        compare(inputs: 3) {
            $0[0].union($0[1]).union($0[2])
        } with: {
            reference($0, inputs: 3)
        }
    }
}
