import TestPlugins
import Testing
import WeirCore
import WeirEQL
import WeirQueries
import WeirRecords

/// Many conditions on the same fields, which are decided in another way than few.
struct ManyConditionsTests {
    private static let conditions =
        (0..<20).map { "any where user == \"u\($0)\"" }
        + (0..<10).map { "any where user in (\"u\($0)\", \"u\($0 + 30)\", \"none\")" }
        + [
            "any where user == null", "any where user != \"u1\"", "any where not (user == \"u2\")",
            "any where user like \"u?\"", "any where user : \"U1*\"", "any where length(user) > 2",
            "any where user == null or user == \"u3\"", "k1 where true", "k2 where true", "k3 where user != null",
            "none where true", "any where user > \"u3\" and n > 4", "any where n == 3", "any where n != 2",
            "any where n >= 5",
        ]

    private func rules(_ texts: [String]) throws -> [QueryRule<QueryPlan>] {
        try texts.map { QueryRule(name: $0, plan: try EQL().compile($0, against: QuerySchema())) }
    }

    /// The lines of matches, sorted, without what tells rules that run together from others.
    private func lines(_ texts: [String], _ input: String) throws -> [String] {
        let run = try PluginRun(QueryPlugin(try rules(texts), over: QuerySchema()), jsonLines: input)
        #expect(run.rejections.isEmpty)
        return run.lines.sorted()
    }

    // With so many different texts in a field.
    @Test(arguments: [2, 9, 16, 17, 40])
    func areAsEachAlone(textCount: Int) throws {
        for seed in 0..<UInt64(4) {
            var random = SeededGenerator(seed: seed)
            var input = ""
            for time in 0..<1_300 {
                var members = ["\"time\":\(time)"]
                switch Int.random(in: 0..<12, using: &random) {
                case 0: members.append("\"user\":null")
                case 1: break
                case 2 where textCount < 20:
                    members.append("\"user\":[\"u1\",\"u\(Int.random(in: 0..<3, using: &random))\"]")
                case 3 where textCount < 20: members.append("\"user\":7")
                default: members.append("\"user\":\"u\(Int.random(in: 0..<textCount, using: &random))\"")
                }
                if Bool.random(using: &random) {
                    members.append("\"type\":\"k\(Int.random(in: 1...3, using: &random))\"")
                }
                let number = Int.random(in: 0..<8, using: &random)
                members.append("\"n\":\(number == 7 ? "\"x\"" : "\(number)")")
                input += "{" + members.joined(separator: ",") + "}\n"
            }
            let alone = try Self.conditions.flatMap { try lines([$0], input) }.sorted()
            #expect(try lines(Self.conditions, input) == alone, "seed \(seed)")
            #expect(alone.count > 1_000)
        }
    }
}
