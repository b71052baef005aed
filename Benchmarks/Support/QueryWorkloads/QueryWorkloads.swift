internal import CommonStream
public import Comparing
internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Queries in EQL over the common stream, beside a matcher that is written by hand.
public enum QueryWorkloads {
    public static let suite = Suite("queries", sequences + rules + memory, setUp: { _ = (input, events) })

    private static let input = QueryInput(eventCount: 1_000_000)
    private static let events = CommonStream.events(1_000_000)

    /// A, then B, then C of a key within 10 s; of each step the newest event waits.
    private static let abc = "sequence by key with maxspan=10s [A where true] [B where true] [C where true]"
    private static let matchCount = 87_334

    /// The same fields, and no match: what is left is reading and one condition.
    private static let none = "A where key == -1"

    private static let byHand = "A;B;C, by hand"
    private static let read = "JSON Lines, read alone"

    private static let sequences = [
        Workload(byHand, in: .millionsPerSecond) {
            var count = 0
            let cost = nanoseconds(per: events.count) { count = ByHand.sequences(events) }
            return try checked(cost, count, matchCount)
        },
        Workload("A;B;C, from columns in memory", in: .millionsPerSecond, against: byHand, goal: .atLeast(10)) {
            let run = try QueryMatching.run([abc], over: input.binary, BinaryFormat())
            return try checked(run.matching / Double(input.eventCount), run.matchCount, matchCount)
        },
        Workload("A;B;C, typed events", in: .millionsPerSecond, against: byHand) {
            let (cost, count) = try QueryMatching.run(abc, over: events)
            return try checked(cost, count, matchCount)
        },
        Workload(read, in: .millionsPerSecond) {
            var count = 0
            let cost = try nanoseconds(per: input.eventCount) {
                count = try QueryMatching.read(input.jsonLines, JSONLinesFormat())
            }
            return try checked(cost, count, input.eventCount)
        },
        Workload("A;B;C, from JSON Lines", in: .millionsPerSecond, against: read, goal: .ratio(atMost: 1.25)) {
            let run = try QueryMatching.run([abc], over: input.jsonLines, JSONLinesFormat())
            return try checked(run.all / Double(input.eventCount), run.matchCount, matchCount)
        },
        Workload("nothing found, from JSON Lines", in: .millionsPerSecond, against: read) {
            let run = try QueryMatching.run([none], over: input.jsonLines, JSONLinesFormat())
            return try checked(run.all / Double(input.eventCount), run.matchCount, 0)
        },
        Workload("A;B;C, from the query to its first match", in: .plain("ms"), goal: .atMost(30)) {
            try QueryMatching.millisecondsToFirstMatch(abc, over: input.jsonLines, JSONLinesFormat())
        },
    ]

    private static let rules = [
        Workload("100 event rules, from columns in memory", in: .millionsPerSecond, goal: .atLeast(1.5)) {
            let run = try QueryMatching.run(hundredRules, over: input.binary, BinaryFormat())
            return try checked(run.matching / Double(input.eventCount), run.matchCount, hundredMatchCount)
        }
    ]

    private static let hundredMatchCount = 64_946

    /// Categories, comparisons of numbers and texts, and lists of texts, of which few events satisfy one.
    private static let hundredRules = (0..<100).map { number in
        switch number % 4 {
        case 0: "A where value > \(0.99 + Double(number) / 10_000)"
        case 1: "B where key == \(number) and value > 0.9"
        case 2: "any where type in (\"C\", \"X\(number)\") and value < \(Double(number) / 10_000)"
        default: "any where type == \"Y\(number)\" or key == \(number * 7) and value > 0.95"
        }
    }

    private static let memory = [
        Workload("a pending match of a key, beside its event", in: .plain("bytes"), goal: .atMost(100)) {
            try PendingMemory.bytesPerKey(keyCount: 1_000_000)
        }
    ]

    private static func checked(_ cost: Double, _ count: Int, _ reference: Int) throws -> Double {
        guard count == reference else { throw WrongResult(count, insteadOf: reference) }
        return cost
    }
}

private enum ByHand {
    private struct Key {
        var first = Int64.min
        var second = Int64.min
    }

    /// For each key the time of the newest A, and of the A whose B was the newest.
    @inline(never)
    static func sequences(_ events: [StreamEvent]) -> Int {
        var keys = Array(repeating: Key(), count: 1000)
        var count = 0
        for event in events {
            let (time, key) = (event.timestamp.nanosecondsSinceEpoch, Int(event.key))
            switch event.type {
            case 0: keys[key].first = time
            case 1:
                if keys[key].first > .min, time - keys[key].first <= 10_000_000_000 {
                    keys[key].second = keys[key].first
                }
                keys[key].first = .min
            case 2:
                if keys[key].second > .min, time - keys[key].second <= 10_000_000_000 { count += 1 }
                keys[key].second = .min
            default: break
            }
        }
        return count
    }
}
