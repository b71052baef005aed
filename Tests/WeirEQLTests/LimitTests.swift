import Testing
import WeirEQL
import WeirQueries
import WeirRecords

/// Queries that are too large or too deep.
struct LimitTests {
    private func message(_ query: String) -> String? {
        do throws(QueryError) {
            _ = try EQL().compile(query, against: QuerySchema())
            return nil
        } catch { return error.message }
    }

    private let tooDeep = "the condition has more than 200 levels of parts in each other"

    @Test
    func depth() {
        func nested(_ open: String, _ close: String, _ count: Int) -> String? {
            message("any where " + String(repeating: open, count: count) + "a" + String(repeating: close, count: count))
        }
        #expect(nested("(", ")", 190) == nil)
        #expect(nested("(", ")", 10_000) == tooDeep)
        #expect(nested("not (", ")", 10_000) == tooDeep)
        #expect(nested("-", " == 1", 10_000) == tooDeep)
        #expect(nested("length(concat(", "))", 10_000) == tooDeep)
        #expect(nested("a and (b or ", ")", 10_000) == tooDeep)
        #expect(nested("a in (", ")", 10_000) == tooDeep)
        #expect(nested("not ", "", 10_000) == nil)
        #expect(nested("", " + 1", 10_000) == tooDeep)
        #expect(nested("", "", 1) == nil)
    }

    /// A query of a megabyte is compiled, and its tree is not deep.
    @Test
    func length() throws {
        let query = "any where " + (0..<45_000).map { "name == \"value-\($0)\"" }.joined(separator: " or ")
        #expect(query.utf8.count > 1 << 20)
        guard case .event(let step) = try EQL().compile(query, against: QuerySchema()).situation else { return }
        func depth(_ term: QueryTerm) -> Int {
            guard case .binary(.or, let left, let right) = term else { return 0 }
            return 1 + max(depth(left), depth(right))
        }
        #expect(step.condition.map(depth) == 16)
    }

    @Test
    func longListsAndTexts() {
        let list = (0..<100_000).map { "\($0)" }.joined(separator: ", ")
        #expect(message("any where a in (\(list))") == nil)
        #expect(message("any where a == \"\(String(repeating: "x", count: 1 << 20))\"") == nil)
        #expect(message("any where a : \"\(String(repeating: "*x", count: 1 << 16))\"") == nil)
        #expect(message(String(repeating: "x", count: 1 << 20)) != nil)
        #expect(message(String(repeating: "(", count: 1 << 20)) != nil)
        #expect(message("any where a == \"" + String(repeating: "\\", count: 1 << 20)) != nil)
    }

    @Test
    func steps() {
        let steps = { (count: Int) in "sequence " + String(repeating: "[any where true] ", count: count) }
        #expect(message(steps(1_000)) == nil)
        #expect(message(steps(1_001)) == "a sequence has at most 1000 events, with its runs; this one has 1001")
    }
}
