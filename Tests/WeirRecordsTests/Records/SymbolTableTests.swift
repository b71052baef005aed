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
        #expect(symbol(table, "c", 12) == nil, "the events before have not been dealt with")
        table.advance(to: Timestamp(secondsSinceEpoch: 9))
        #expect(symbol(table, "c", 12) == nil, "nothing is idle for the events that have been dealt with")
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

    /// Texts whose events may still be on their way, however old, are not forgotten.
    @Test func whatHasJustComeIsNotForgotten() {
        let table = SymbolTable(forgettingAfter: .seconds(10), limit: 1)
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000))
        #expect(symbol(table, "a", 0) != nil)
        #expect(symbol(table, "b", 1_000) == nil)
        table.advance(to: Timestamp(secondsSinceEpoch: 1_000))
        #expect(symbol(table, "b", 1_000) != nil)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func forgettingAgreesWithAList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...60, using: &generator)
        let idle = Int64.random(in: 1...40, using: &generator)
        let table = SymbolTable(forgettingAfter: .seconds(idle), limit: limit)
        var known: [(name: String, last: Int64, symbol: Symbol)] = []
        for time in 0..<2_000 as Range<Int64> {
            let name = String(Int.random(in: 0..<100, using: &generator), radix: 5)
            let found = symbol(table, name, time)
            if let place = known.firstIndex(where: { $0.name == name }) {
                #expect(found == known[place].symbol, "seed \(seed)")
                let entry = known.remove(at: place)
                known.append((name, time, entry.symbol))
            } else if known.count < limit || known[0].last + idle <= time - 1 {
                if known.count == limit { known.removeFirst() }
                known.append((name, time, try #require(found, "seed \(seed)")))
            } else {
                #expect(found == nil, "seed \(seed)")
            }
            table.advance(to: Timestamp(secondsSinceEpoch: time))
            #expect(Set(known.map(\.symbol.index)).count == known.count)
            #expect(known.allSatisfy { table.name(of: $0.symbol) == $0.name }, "seed \(seed)")
            #expect(table.count == known.count)
        }
    }
}
