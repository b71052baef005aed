import WeirCore

@testable import WeirPatterns

/// Writes down what a strategy tells, and when.
struct CompactRecorder<Element: Sendable>: MatchReceiver {
    var demand = MatchDemand.all
    var moment = ""
    var matches: [(moment: String, match: FoundMatch<Element>, time: Timestamp)] = []
    var timeouts: [(moment: String, match: FoundMatch<Element>, time: Timestamp)] = []
    var counts: [(moment: String, count: Int)] = []
    var released: [Int] = []

    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        matches.append((moment, copy match, time))
        return true
    }

    mutating func receive(count: Int, at time: Timestamp) { counts.append((moment, count)) }

    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {
        timeouts.append((moment, copy match, time))
    }

    mutating func release(slot: Int) { released.append(slot) }
}
