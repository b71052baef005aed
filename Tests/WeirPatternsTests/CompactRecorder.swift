import WeirCore

@testable import WeirPatterns

/// Writes down what the compact strategy tells, and when.
struct CompactRecorder<Element: Sendable>: PatternOutput {
    var demand = MatchDemand.all
    var moment = ""
    var matches: [(moment: String, match: FoundMatch<Element>, time: Timestamp)] = []
    var timeouts: [(moment: String, match: FoundMatch<Element>, time: Timestamp)] = []
    var counts: [(moment: String, count: Int)] = []

    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        matches.append((moment, copy match, time))
        return true
    }

    mutating func receive(count: Int, at time: Timestamp) { counts.append((moment, count)) }

    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {
        timeouts.append((moment, copy match, time))
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {}

    /// Runs events through the compact strategy; the moments are `t` and `e` with the position of an event, before and with
    /// it, and `end`.
    ///
    /// - Returns: What it told; `nil` if the pattern is not for the compact strategy.
    static func run(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Element>,
        groupedBy key: (@Sendable (borrowing Element) -> Int)?,
        _ events: [(element: Element, time: Timestamp)],
        demand: MatchDemand = .all,
        reportsTimeouts: Bool = false
    ) -> CompactRecorder? {
        let settings = PatternSettings(reportsTimeouts: reportsTimeouts)
        let output = CompactRecorder(demand: demand)
        guard var sink = CompactSink(plan, conditions, groupedBy: key, settings, PatternSides(), into: output) else {
            return nil
        }
        func begin(_ moment: String) { sink.base.front.withValue { $0.output.moment = moment } }
        for (index, event) in events.enumerated() {
            begin("t\(index)")
            sink.advance(to: event.time)
            begin("e\(index)")
            sink.receive(event.element, at: event.time)
        }
        begin("end")
        sink.finish(.finished)
        return sink.base.front.withValue { $0.output }
    }
}
