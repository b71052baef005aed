import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirPatterns
import WeirSelection
import WeirTesting

/// Conditions of rows against the same conditions as closures, on random events.
@Suite struct RowTests {
    struct Item: Event, Equatable {
        var timestamp: Timestamp
        var kind: Int
        var price: Double
        var number: Int
        var isOpen: Bool
        var name: String
    }

    static func items(_ seed: UInt64) -> [Item] {
        var random = SeededGenerator(seed: seed)
        return (0..<24).map { second in
            Item(
                timestamp: Timestamp(secondsSinceEpoch: second),
                kind: Int.random(in: 0..<4, using: &random),
                price: Double(Int.random(in: 0..<6, using: &random)),
                number: Int.random(in: 1..<5, using: &random),
                isOpen: Bool.random(using: &random),
                name: ["ab", "ba", "b"][Int.random(in: 0..<3, using: &random)]
            )
        }
    }

    static func run<Match: Sendable>(_ pattern: some EventPattern<Item, Match>, _ items: [Item]) -> [String] {
        let feed = Feed<Item>()
        let recorder = Recorder(feed.matches(of: pattern))
        for item in items { feed.send(item, at: item.timestamp) }
        feed.finish()
        return recorder.elements.map { "\($0)" }.sorted()
    }

    /// Both find the same on many random streams, and find something.
    static func expectSame<Match: Sendable>(
        _ rows: some EventPattern<Item, Match>,
        _ closures: some EventPattern<Item, Match>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        var found = 0
        for seed in UInt64(0)..<60 {
            let items = items(seed)
            let expected = run(closures, items)
            #expect(run(rows, items) == expected, "seed \(seed)", sourceLocation: location)
            found += expected.count
        }
        #expect(found > 20, sourceLocation: location)
    }

    static let first = Pattern<Item>.first { $0.kind == 0 }

    @Test func operatorsMeanTheSame() {
        let second = Self.first.followedBy { $0.kind == 1 }
        Self.expectSame(
            second.on { a, b in b.price > 2 * a.price - 1 && a.name == b.name || !b.isOpen && a.number != b.number },
            second.filter { a, b in b.price > 2 * a.price - 1 && a.name == b.name || !b.isOpen && a.number != b.number }
        )
        Self.expectSame(
            second.on { a, b in (a.price + b.price) / 2 <= 2 && !(a.isOpen && b.isOpen) && 10 - b.number >= 7 },
            second.filter { a, b in (a.price + b.price) / 2 <= 2 && !(a.isOpen && b.isOpen) && 10 - b.number >= 7 }
        )
        Self.expectSame(
            second.on { a, b in b { hasPrefix($0.name, "b") } || a.price * b.price < 3 || a.isOpen },
            second.filter { a, b in b.name.hasPrefix("b") || a.price * b.price < 3 || a.isOpen }
        )
    }

    @Test func propertiesHavePropertiesOfTheirOwn() throws {
        let second = Self.first.followedBy { $0.kind == 1 }
        let longer = second.on { a, b in b.name.utf8.count > a.name.count && !b.name.isEmpty }
        Self.expectSame(longer, second.filter { a, b in b.name.utf8.count > a.name.count && !b.name.isEmpty })
        #expect(try longer.plan().conditions.last?.text.contains(" > stage 0.name.") == true)
        Self.expectSame(
            second.on { a, b in (b.number + a.number).magnitude >= 5 },
            second.filter { a, b in (b.number + a.number).magnitude >= 5 }
        )
    }

    @Test func theEventMayStandOnEitherSide() throws {
        let second = Self.first.followedBy { $0.kind == 1 }
        let turned = second.on { a, b in a.name == b.name }
        Self.expectSame(turned, second.filter { a, b in a.name == b.name })
        #expect(try turned.plan().conditions.map(\.equality) == [nil, nil, PlanEquality(capture: 0)])
    }

    @Test func whatLooksAtTheEventAloneIsAConditionOfItsOwn() throws {
        let pattern = Self.first.followedBy.on { a, b in b.kind == 1 && b.price > a.price && b.isOpen }
        let conditions = try pattern.plan().conditions
        #expect(conditions.map(\.text) == ["condition 0", "kind == 1 && isOpen", "price > stage 0.price"])
        #expect(conditions.map(\.isUnary) == [true, true, false])
        Self.expectSame(pattern, Self.first.followedBy.filter { a, b in b.kind == 1 && b.price > a.price && b.isOpen })
        let alone = Pattern<Item>.first.on { item in item.kind == 1 && item.number > 2 }.next.filter { _, b in b.isOpen
        }
        #expect(try alone.plan().conditions[0].isUnary)
        Self.expectSame(alone, Pattern<Item>.first { $0.kind == 1 && $0.number > 2 }.next { $0.isOpen })
    }

    @Test func aLoopLooksAtItselfWithTheNewEventAsTheLast() {
        let loop = Self.first.followedBy { $0.kind == 1 || $0.kind == 2 }.times(2...4)
        @Sendable func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        Self.expectSame(
            loop.on { a, loop in loop.price.last >= loop.price.mean && loop.count < 4 && a.number <= loop.number.last },
            loop.filter { a, loop in
                loop.last.map { $0.price >= mean(loop.map(\.price)) && a.number <= $0.number } ?? false
                    && loop.count < 4
            }
        )
        Self.expectSame(
            loop.on { _, loop in loop.before.price.mean < loop.price.last || loop.count == 1 },
            loop.filter { _, loop in loop.count == 1 || mean(loop.dropLast().map(\.price)) < loop[loop.count - 1].price
            }
        )
        Self.expectSame(
            loop.on { a, loop in
                loop.price.max - loop.price.min < 3 && loop.number.sum <= 9 && loop.price.first >= a.price
            },
            loop.filter { a, loop in
                let prices = loop.map(\.price)
                return (prices.max() ?? 0) - (prices.min() ?? 0) < 3 && loop.map(\.number).reduce(0, +) <= 9
                    && prices[0] >= a.price
            }
        )
    }

    @Test func laterStagesLookAtLoopsOptionalsAndGroups() {
        let loop = Self.first.followedBy { $0.kind == 1 }.times(1...3)
        Self.expectSame(
            loop.followedBy { $0.kind == 2 }.on { _, loop, c in c.price > loop.price.mean && c.price < loop.number.sum
            },
            loop.followedBy { $0.kind == 2 }.filter { _, loop, c in
                c.price > loop.map(\.price).reduce(0, +) / Double(loop.count)
                    && c.price < Double(loop.map(\.number).reduce(0, +))
            }
        )
        let optional = Self.first.followedBy { $0.kind == 1 }.optional()
        Self.expectSame(
            optional.followedBy { $0.kind == 2 }.on { a, b, c in b.price < c.price || a.price == c.price },
            optional.followedBy { $0.kind == 2 }.filter { a, b, c in
                b.map { $0.price < c.price } ?? false || a.price == c.price
            }
        )
        let pair = Pattern<Item>.first(named: "low") { $0.price < 3 }.next(named: "high") { $0.price >= 3 }
        let group = Self.first.followedBy.group(pair).times(1...2)
        Self.expectSame(
            group.followedBy { $0.kind == 2 }.on { _, pairs, c in pairs["high"].price.sum > c.price + 2 },
            group.followedBy { $0.kind == 2 }.filter { _, pairs, c in
                pairs["high"].map(\.price).reduce(0, +) > c.price + 2
            }
        )
    }

    @Test func conditionsBeforeTimesSeeEachEvent() {
        let stage = Self.first.followedBy { $0.kind != 0 }
        Self.expectSame(
            stage.filter { a, b in a.name == b.name }.times(2...3),
            stage.times(2...3).filter { a, loop in loop.last?.name == a.name }
        )
        Self.expectSame(
            stage.on { a, b in a.name == b.name }.times(2).consecutive(),
            stage.times(2).consecutive().on { a, loop in loop.name.last == a.name }
        )
    }

    @Test func negationsAndEndsLookAtCaptures() {
        let start = Self.first.notFollowedBy { $0.kind == 3 }
        Self.expectSame(
            start.on { a, forbidden in forbidden.name == a.name }.followedBy { $0.kind == 2 },
            start.filter { a, forbidden in forbidden.name == a.name }.followedBy { $0.kind == 2 }
        )
        let loop = Self.first.followedBy { $0.kind == 1 || $0.kind == 2 }.times(1...)
        Self.expectSame(
            loop.untilOn { a, loop in loop.kind.last == a.kind + 3 }.within(.seconds(9)),
            loop.until { $0.kind == 3 }.within(.seconds(9))
        )
        Self.expectSame(
            loop.untilWhere { $0.kind == 3 }.within(.seconds(9)),
            loop.until { $0.kind == 3 }.within(.seconds(9))
        )
    }

    @Test func groupsOfPatternsWithRowsAreMoved() {
        let rising = Pattern<Item>.first { $0.kind == 1 }.next.on { a, b in b.price > a.price }
            .next { $0.kind < 3 }.times(1...2)
            .on { _, b, loop in loop.price.mean > b.price && loop.number.sum < 7 }
        let closures = Pattern<Item>.first { $0.kind == 1 }.next.filter { a, b in b.price > a.price }
            .next { $0.kind < 3 }.times(1...2).filter { _, b, loop in
                loop.map(\.price).reduce(0, +) / Double(loop.count) > b.price && loop.map(\.number).reduce(0, +) < 7
            }
        let start = Pattern<Item>.first { $0.price > 0 }.times(1...2).on { loop in loop.price.sum < 8 }
        Self.expectSame(start.followedBy.group(rising), start.followedBy.group(closures))
    }

    @Test func matchesAreTuplesOfUpToEight() {
        let four = Pattern<Item>.first { $0.kind == 0 }.followedBy.any.followedBy { $0.kind == 1 }.optional()
            .followedBy { $0.kind == 2 }.times(1...2)
        let eight = four.next.any.next.any.notNext { $0.kind == 3 }.next.any.next.any
            .filter { a, b, c, d, e, f, g, h in a.price <= h.price && (c?.number ?? 0) <= d.count && b.kind != g.kind }
        let feed = Multicast<Item>()
        let sums = Recorder(
            feed.matches(of: eight).filter { $0.7.price > $0.4.price }.map { a, b, c, d, e, f, g, h in
                [a, b] + (c.map { [$0] } ?? []) + d + [e, f, g, h]
            }
        )
        let all = Recorder(feed.matches(of: eight))
        for seed in UInt64(0)..<30 {
            for item in Self.items(seed) { feed.send(item, at: item.timestamp + .seconds(24 * Int64(seed))) }
        }
        feed.finish()
        #expect(!sums.elements.isEmpty)
        let expected = all.elements.filter { $0.7.price > $0.4.price }
        #expect(sums.elements.map(\.count) == expected.map { 6 + ($0.2 == nil ? 0 : 1) + $0.3.count })
        #expect(sums.elements.map { $0.last } == expected.map(\.7))
        #expect(all.elements.allSatisfy { $0.0.price <= $0.7.price && $0.1.kind != $0.6.kind })
    }

    @Test func patternsOfAllKindsAreEventPatterns() throws {
        func rising(_ factor: Double) -> some EventPattern<Item, (Item, Item)> {
            Pattern<Item>.first { $0.kind == 0 }.followedBy.on { a, b in b.price > factor * a.price }.grouped(
                by: \.name
            )
        }
        var count = 0
        for seed in UInt64(0)..<20 {
            let items = Self.items(seed)
            let feed = Feed<Item>()
            let found = Recorder(feed.matches(of: rising(2)).filter { first, second in first.name == second.name })
            for item in items { feed.send(item, at: item.timestamp) }
            // Each element begins one match at most.
            let sorted = found.elements.sorted { $0.0.timestamp < $1.0.timestamp }
            let expected = Self.byHand(items).sorted { $0.0.timestamp < $1.0.timestamp }
            #expect(sorted.elementsEqual(expected, by: ==), "seed \(seed)")
            count += expected.count
        }
        #expect(count > 10)
        #expect(try rising(2).explain().strategy == .runs)
    }

    private static func byHand(_ items: [Item]) -> [(Item, Item)] {
        var open: [Item] = []
        var found: [(Item, Item)] = []
        for item in items {
            found += open.filter { $0.name == item.name && item.price > 2 * $0.price }.map { ($0, item) }
            open.removeAll { $0.name == item.name && item.price > 2 * $0.price }
            if item.kind == 0 { open.append(item) }
        }
        return found
    }
}
