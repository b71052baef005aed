import Foundation
import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

@testable import WeirPatternDefinitions
@testable import WeirPatterns

/// Random rules that change at random places, against streams of matches that begin and end at the same places.
@Suite struct RuleModelTests {
    struct Tick: Sendable {
        var stream: Int
        var symbol: String
        var price: Int
        var time: Int64
    }

    static let schema = EventSchema<Tick>("Tick", .field("symbol", \.symbol), .field("price", \.price))

    final class Log: Sendable {
        private let texts = Mutex<[String]>([])

        var lines: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    /// A pattern without its type.
    struct Candidate {
        let add: (PatternSet<Tick>, String, Log) throws -> PatternRule
        let replace: (PatternSet<Tick>, String, Log) throws -> PatternRule
        let attach: (Multicast<Tick>, String, Log) -> Subscription

        init<Pattern: EventPattern<Tick, Match>, Match>(
            _ pattern: Pattern,
            _ limits: PatternLimits = PatternLimits(),
            _ text: @escaping @Sendable (Match) -> String = { "\($0)" }
        ) {
            add = { set, name, log in
                try set.add(pattern, named: name, limits: limits) { log.add("\(name): \(text($0))") }
            }
            replace = { set, name, log in
                try set.replace(name, with: pattern, limits: limits) { log.add("\(name): \(text($0))") }
            }
            attach = { source, name, log in
                source.matches(of: pattern, PatternSettings(limits: limits)).subscribe {
                    log.add("\(name): \(text($0))")
                }
            }
        }
    }

    /// The rules of a stream, each on a stream of its own.
    struct Alone {
        var rules: [(name: String, source: Multicast<Tick>, subscription: Subscription)] = []
        var time = Timestamp.distantPast
        var lateCount: UInt64 = 0

        mutating func add(_ candidate: Candidate, _ name: String, _ log: Log) {
            let source = Multicast<Tick>()
            rules.append((name, source, candidate.attach(source, name, log)))
        }

        mutating func remove(_ name: String) {
            guard let place = rules.firstIndex(where: { $0.name == name }) else { return }
            rules.remove(at: place).subscription.cancel()
        }

        mutating func replace(_ candidate: Candidate, _ name: String, _ log: Log) {
            guard let place = rules.firstIndex(where: { $0.name == name }) else { return }
            rules[place].subscription.cancel()
            let source = Multicast<Tick>()
            rules[place] = (name, source, candidate.attach(source, name, log))
        }

        mutating func send(_ tick: Tick) {
            let time = Timestamp(nanosecondsSinceEpoch: tick.time)
            guard time >= self.time else {
                lateCount += 1
                return
            }
            self.time = time
            for rule in rules { rule.source.send(tick, at: time) }
        }

        mutating func advance(to watermark: Timestamp) {
            time = max(time, watermark)
            for rule in rules { rule.source.advance(to: watermark) }
        }

        func finish(_ completion: Completion) { for rule in rules { rule.source.finish(completion) } }
    }

    // MARK: Patterns

    static func candidate(_ random: inout SeededGenerator) throws -> Candidate {
        let (symbol, price) = ("s\(Int.random(in: 0..<5, using: &random))", Int.random(in: 0..<5, using: &random))
        let bound = Duration.nanoseconds(Int.random(in: 2..<12, using: &random))
        let first: StagedPattern<Captures1<OneEvent<Tick>>>
        switch Int.random(in: 0..<6, using: &random) {
        case 0: first = Pattern<Tick>.first.where { $0.symbol == symbol }
        case 1: first = Pattern<Tick>.first.where { $0.symbol == symbol && $0.price > price }
        case 2: first = Pattern<Tick>.first { tick in tick.symbol == symbol }
        case 3: first = Pattern<Tick>.first.where { $0.price > price }
        case 4: first = Pattern<Tick>.first.where { $0.price >= price && $0.price < price + 2 }
        default: first = Pattern<Tick>.first.any
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return candidate(first.next.where { $0.price > price }, bound, &random)
        case 1: return candidate(first.followedByAny.where { $0.symbol == symbol }, bound, &random)
        case 2:
            let guarded = first.notFollowedBy.where { $0.price == 0 }
            return candidate(guarded.followedBy.where { $0.symbol == symbol }, bound, &random)
        case 3:
            let second = first.followedBy.where { $0.price == price }
            return candidate(second.notFollowedBy.where { $0.symbol == "s0" }, bound, &random)
        case 4: return candidate(first.followedBy.filter { $1.price > $0.price }, bound, &random)
        case 5:
            let second = first.followedBy.on { first, tick in tick.symbol == first.symbol && tick.price > 2 }
            return candidate(second, bound, &random)
        case 6: return candidate(first.next.any, bound, &random)
        case 7: return candidate(first.followedBy.where { $0.price == 1 }.afterMatch(.skipPastLast), bound, &random)
        case 8:
            let second = first.followedBy.where { $0.price > price }.afterMatch(.skipToNext)
            return candidate(second.notFollowedBy.where { $0.price == 0 }, bound, &random)
        case 9: return candidate(first.times(2...).followedBy.where { $0.price == price }, bound, &random)
        case 10: return candidate(first.followedBy.where { $0.price < price }.optional(), bound, &random)
        default: return try dynamic(symbol, price, Int64.random(in: 2..<12, using: &random), &random)
        }
    }

    static func candidate<List: AtMostEightStages>(
        _ pattern: StagedPattern<List>,
        _ bound: Duration,
        _ random: inout SeededGenerator
    ) -> Candidate where List.Event == Tick {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: Candidate(pattern.within(bound).grouped(by: \.symbol))
        case 1: Candidate(pattern.within(bound).grouped { $0.price % 2 })
        case 2: Candidate(pattern.within(bound), PatternLimits(partialMatches: 5, policy: .dropOldest))
        default: Candidate(pattern.within(bound))
        }
    }

    /// A pattern that is built at run time, with or without groups.
    static func dynamic(
        _ symbol: String,
        _ price: Int,
        _ within: Int64,
        _ random: inout SeededGenerator
    ) throws -> Candidate {
        let definition = PatternDefinition(
            stages: [
                StageDefinition("a", .first, where: try schema.tree(of: { $0.symbol == symbol })),
                StageDefinition("b", .followedBy, where: try schema.tree(of: { $0.price > price })),
            ],
            withinNanoseconds: within,
            groupedBy: Bool.random(using: &random) ? .field("price") : nil
        )
        return try Candidate(DynamicPattern(definition, over: schema)) { match in "\(match["a"]) \(match["b"])" }
    }

    // MARK: Trials

    /// How many trials there are: 24, or 500 with `WEIR_LONG_TESTS=1` in the environment.
    static var trialCount: UInt64 { ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 24 : 500 }

    /// A set on two streams, and what is to come of it.
    struct Trial {
        let seed: UInt64
        var random: SeededGenerator
        let set = PatternSet<Tick>()
        let sources = [Multicast<Tick>(), Multicast<Tick>()]
        var alone = [Alone(), Alone()]
        let together = Log()
        let apart = Log()
        var names: [String] = []
        var time: [Int64] = [0, 0]

        init(_ seed: UInt64) {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            for source in sources { source.attach(set) }
        }

        mutating func change() throws {
            let candidate = try RuleModelTests.candidate(&random)
            let name = names.randomElement(using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where name != nil:
                guard let name else { return }
                #expect(set.remove(name))
                #expect(!set.remove(name))
                names.removeAll { $0 == name }
                for stream in alone.indices { alone[stream].remove(name) }
            case 1 where name != nil:
                guard let name else { return }
                let old = set[name]
                _ = try candidate.replace(set, name, together)
                #expect(old.map { set.remove($0) } == false)
                for stream in alone.indices { alone[stream].replace(candidate, name, apart) }
            case 2 where name != nil:
                guard let name else { return }
                #expect(throws: PatternError.duplicateRule(name)) { try candidate.add(set, name, together) }
                #expect(throws: PatternError.unknownRule("none")) { try candidate.replace(set, "none", together) }
            default:
                let name = "r\(Int.random(in: 0..<1_000_000, using: &random))"
                guard !names.contains(name) else { return }
                #expect(try candidate.add(set, name, together).name == name)
                names.append(name)
                for stream in alone.indices { alone[stream].add(candidate, name, apart) }
            }
        }

        mutating func signal() {
            let stream = Int.random(in: 0..<2, using: &random)
            time[stream] += Int64.random(in: 0..<3, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                let watermark = Timestamp(nanosecondsSinceEpoch: time[stream])
                sources[stream].advance(to: watermark)
                alone[stream].advance(to: watermark)
                return
            }
            let isLate = Int.random(in: 0..<12, using: &random) == 0
            let tick = Tick(
                stream: stream,
                symbol: "s\(Int.random(in: 0..<6, using: &random))",
                price: Int.random(in: 0..<6, using: &random),
                time: time[stream] - (isLate ? 2 : 0)
            )
            sources[stream].send(tick, at: Timestamp(nanosecondsSinceEpoch: tick.time))
            alone[stream].send(tick)
        }

        mutating func finish() {
            let completions: [Completion] = [.finished, .finished, .interrupted]
            for stream in sources.indices {
                let completion = completions.randomElement(using: &random) ?? .finished
                sources[stream].finish(completion)
                alone[stream].finish(completion)
            }
        }

        func check() {
            let (found, expected) = (together.lines, apart.lines)
            let difference = zip(found, expected).first { $0 != $1 }
            #expect(difference == nil && found.count == expected.count, "seed \(seed)")
            #expect(set.rules.map(\.name) == names, "seed \(seed)")
            #expect(set.late.count == alone.reduce(0) { $0 + $1.lateCount }, "seed \(seed)")
        }
    }

    @Test func changesAreThoseOfStreamsThatBeginAndEnd() throws {
        var (found, changed) = (0 as UInt64, 0 as UInt64)
        for seed in 0..<Self.trialCount {
            var trial = Trial(seed)
            for _ in 0..<8 { try trial.change() }
            for _ in 0..<150 {
                if Int.random(in: 0..<6, using: &trial.random) == 0 {
                    try trial.change()
                    changed += 1
                }
                trial.signal()
            }
            trial.finish()
            trial.check()
            found += UInt64(trial.together.lines.count)
        }
        #expect(found > 40 * Self.trialCount)
        #expect(changed > 20 * Self.trialCount)
    }
}
