import Testing
import WeirCore
import WeirRecords
import WeirTesting

@Suite struct SymbolTableTests {
    private func symbol(_ table: SymbolTable, _ bytes: [UInt8]) -> Symbol? {
        table.symbol(for: ContiguousArray(bytes).span)
    }

    private func symbol(_ table: SymbolTable, _ text: String) -> Symbol? { symbol(table, Array(text.utf8)) }

    @Test func agreesWithADictionary() {
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let limit = Int.random(in: 1...300, using: &generator)
            let table = SymbolTable(limit: limit)
            var names: [String] = []
            for _ in 0..<1000 {
                let text = String(Int.random(in: 0..<400, using: &generator), radix: 7)
                var expected = names.firstIndex(of: text)
                if expected == nil, names.count < limit {
                    expected = names.count
                    names.append(text)
                }
                let found = symbol(table, text)?.index
                if found != expected { Issue.record("seed \(seed): \(text) is \(String(describing: found))") }
            }
            #expect(table.count == names.count, "seed \(seed)")
            #expect(names.indices.map { table.name(of: $0) } == names, "seed \(seed)")
        }
    }

    @Test func textsAreToldApartByTheirBytes() throws {
        let table = SymbolTable(limit: 10)
        let empty = try #require(symbol(table, ""))
        #expect(empty == .first)
        #expect(table.name(of: empty) == "")
        // Equal as texts of Swift, and written in two ways.
        #expect(symbol(table, "\u{E9}") != symbol(table, "e\u{301}"))
        #expect(symbol(table, [0xC3]) == nil)
        #expect(symbol(table, [0x61, 0xFF]) == nil)
        #expect(table.count == 3, "what is no text takes no room")
        #expect(symbol(table, "") == empty)
    }

    @Test func aFullTableStillKnowsWhatItHas() {
        let table = SymbolTable(limit: 2)
        #expect(symbol(table, "a")?.index == 0)
        #expect(symbol(table, "b")?.index == 1)
        #expect(symbol(table, "c") == nil)
        #expect(symbol(table, "b")?.index == 1)
        #expect(table.count == 2)
    }

    private func symbol(_ table: SymbolTable, _ text: String, _ time: Int64) -> Symbol? {
        table.symbol(for: ContiguousArray(text.utf8).span, at: Timestamp(secondsSinceEpoch: time))
    }

    @Test func aFullTableForgetsWhatIsIdle() throws {
        let table = SymbolTable(forgettingAfter: .seconds(10), limit: 2)
        let a = try #require(symbol(table, "a", 0))
        let b = try #require(symbol(table, "b", 5))
        #expect(symbol(table, "c", 9) == nil, "nothing is idle for the new text")
        table.advance(to: Timestamp(secondsSinceEpoch: 10))
        #expect(symbol(table, "c", 9) == nil, "nothing is idle for the new text")
        let c = try #require(symbol(table, "c", 10))
        #expect(c.index == a.index && c != a)
        #expect(table.name(of: c) == "c")
        #expect(table.name(of: b) == "b")
        #expect(table.count == 2)
        #expect(symbol(table, "a", 12) == nil)
        table.advance(to: Timestamp(secondsSinceEpoch: 20))
        // Of those that are idle the one that has not come for longest.
        #expect(symbol(table, "b", 20) == b)
        #expect(symbol(table, "a", 20)?.index == c.index)
    }

    /// Texts whose events may still be on their way, however old, keep their names; they do not keep out others.
    @Test func whatIsOnItsWayIsNotForgotten() throws {
        let table = SymbolTable(forgettingAfter: .seconds(10), limit: 1)
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000))
        let a = try #require(symbol(table, "a", 0))
        let b = try #require(symbol(table, "b", 1_000))
        #expect(a.index != b.index)
        #expect(table.name(of: a) == "a")
        #expect(symbol(table, "a", 1_000) == a, "it is still known")
        table.advance(to: Timestamp(secondsSinceEpoch: 1_010))
        let c = try #require(symbol(table, "c", 1_010))
        #expect(c.index < 2 && c != a && c != b, "it has the place of one that was dealt with")
    }

    /// A full table that no event passes any more would else stay full for ever.
    @Test func newTextsComeThoughNoEventHasMovedTheTime() {
        let table = SymbolTable(forgettingAfter: .seconds(60), limit: 100)
        for text in 0..<100 { #expect(symbol(table, "\(text)", Int64(text)) != nil) }
        table.advance(to: Timestamp(secondsSinceEpoch: 100))
        #expect(symbol(table, "early", 59) == nil)
        for text in 0..<100 { #expect(symbol(table, "new \(text)", 1_000) != nil) }
        #expect(symbol(table, "one more", 1_000) == nil)
    }

    /// What is on its way is bounded, whatever is sent.
    @Test func itsPlacesAreBounded() {
        let table = SymbolTable(forgettingAfter: .seconds(1), limit: 10)
        var refused = 0
        for text in 0..<10_000 {
            let symbol = symbol(table, "\(text)", Int64(text) * 10)
            #expect(symbol.map { $0.index < table.capacity } ?? true)
            if symbol == nil { refused += 1 }
        }
        #expect(table.count == table.capacity)
        #expect(refused == 10_000 - table.capacity)
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000_000))
        #expect(symbol(table, "then", 1_000_000) != nil)
        #expect(table.count <= 11)
    }

    /// The place of a text of a later time is no place for one of an earlier time, also where there is no other.
    @Test func aPlaceIsNotReusedTooEarly() throws {
        let table = SymbolTable(forgettingAfter: .seconds(10), limit: 2)
        for text in 0..<table.capacity { _ = try #require(symbol(table, "\(text)", Int64(text) * 100)) }
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000_000))
        #expect(symbol(table, "late", 1_000_000) != nil)
        #expect(symbol(table, "early", 500_000) != nil)
        #expect(symbol(table, "later", 1_000_010) != nil)
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000_020))
        // Both are on their way again; the place of the first one is free.
        #expect(symbol(table, "early", 500_000) != nil)
        #expect(symbol(table, "later", 1_000_010) != nil)
        #expect(symbol(table, "too early", 500_010).map { $0.index < table.capacity } ?? true)
        #expect(symbol(table, "in time", 1_000_020).map { $0.index < table.capacity } == true)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func forgettingAgreesWithAList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...60, using: &generator)
        let idle = Int64.random(in: 1...40, using: &generator)
        // How many events are decoded before they are dealt with.
        let batch = Int64.random(in: 1...20, using: &generator)
        let table = SymbolTable(forgettingAfter: .seconds(idle), limit: limit)
        // Those that are live come behind those that are expired.
        var known: [(name: String, last: Int64, symbol: Symbol)] = []
        var expired = 0
        var dealtWith: Int64 = -1
        for time in 0..<2_000 as Range<Int64> {
            let name = String(Int.random(in: 0..<100, using: &generator), radix: 5)
            let found = symbol(table, name, time)
            if let place = known.firstIndex(where: { $0.name == name }) {
                #expect(found == known[place].symbol, "seed \(seed)")
                let entry = known.remove(at: place)
                if place < expired { expired -= 1 }
                known.append((name, time, entry.symbol))
            } else {
                // What has been dealt with and is idle is forgotten when a new text comes.
                while expired > 0, known[0].last + idle <= dealtWith {
                    known.removeFirst()
                    expired -= 1
                }
                while known.count - expired >= limit, known[expired].last + idle <= time {
                    if known[expired].last + idle <= dealtWith { known.remove(at: expired) } else { expired += 1 }
                }
                if known.count - expired < limit {
                    known.append((name, time, try #require(found, "seed \(seed)")))
                } else {
                    #expect(found == nil, "seed \(seed)")
                }
            }
            if time % batch == 0 {
                table.advance(to: Timestamp(secondsSinceEpoch: time))
                dealtWith = time
            }
            #expect(Set(known.map(\.symbol.index)).count == known.count)
            #expect(known.allSatisfy { table.name(of: $0.symbol) == $0.name }, "seed \(seed)")
            #expect(table.count == known.count)
        }
    }
}
