import Testing
import WeirCore
import WeirTesting

@Suite struct SymbolTableTests {
    private func symbol(_ table: SymbolTable, _ bytes: [UInt8]) -> Symbol? { table.symbol(for: bytes.span) }

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
}
