import Testing
import WeirEQL
import WeirQueries
import WeirRecords

/// Queries of the corpora: what Elasticsearch accepts is accepted, and written anew means the same.
@Suite(.enabled(if: !CorpusCase.folders.isEmpty, "../shared/corpora/eql is missing"))
struct CorpusParsingTests {
    /// The plan of a query; its description makes the same plan.
    private func plan(of query: String, _ id: String) throws -> QueryPlan {
        let plan = try EQL().compile(query, against: QuerySchema())
        let again = try EQL().compile(plan.description, against: QuerySchema())
        #expect(again == plan, "\(id): \(plan) is read as \(again)")
        return plan
    }

    @Test
    func productionRules() throws {
        let rules = try CorpusCase.all(in: "detection-rules.jsonl")
        #expect(rules.count >= 1077)
        for rule in rules { #expect(throws: Never.self, "\(rule.id)") { try plan(of: rule.query, rule.id) } }
    }

    @Test
    func elasticsearchCases() throws {
        for row in try CorpusCase.all(in: "elasticsearch-qa.jsonl") {
            #expect(throws: Never.self, "\(row.id)") { try plan(of: row.query, row.id) }
        }
    }

    /// What the other dialect refuses and Elasticsearch does not.
    private static let alsoElasticsearch: Set = [
        // Runs, samples and 'like' are of the newer dialect.
        "eql-syntax-0048", "eql-syntax-0049", "eql-syntax-0051",
        // Comparisons of fields are an extension.
        "eql-syntax-0074",
    ]

    /// What the other implementation takes and Elasticsearch does not: a pipe without a number, a sample without keys.
    private static let onlyOther: Set = ["eql-syntax-0014", "eql-syntax-0087"]

    /// What other dialects have, and what the message says of it.
    private static let foreign = [
        "fork": "'fork' is not part", "join": "'join' is not part", "pipe:filter": "the pipe 'filter' is not part",
        "pipe:unique_count": "the pipe 'unique_count' is not part", "fn:wildcard": "'wildcard' is not part",
        "fn:match": "'match' is not part", "fn:arrayContains": "'arrayContains' is not part",
        "fn:arrayCount": "'arrayCount' is not part", "fn:arraySearch": "'arraySearch' is not part",
        "array-index": "has no place", "method-syntax": "expected a text after ':'",
    ]

    @Test
    func rowsOfTheOracle() throws {
        var refused = 0
        for row in try CorpusCase.all(in: "oracle.jsonl") {
            let isError =
                (row.expectsError && !Self.alsoElasticsearch.contains(row.id)) || Self.onlyOther.contains(row.id)
            let isForeign = row.query.contains("events[0]") || !row.tags.isDisjoint(with: Self.foreign.keys)
            do throws(QueryError) {
                _ = try EQL().compile(row.query, against: QuerySchema())
                #expect(!isError && !isForeign, "\(row.id) is accepted: \(row.query)")
            } catch {
                refused += 1
                #expect(isError || isForeign, "\(row.id): \(error)")
                let said =
                    row.tags.compactMap { Self.foreign[$0] } + (row.query.contains("events[0]") ? ["events[0]"] : [])
                if !isError {
                    let names = said.contains { error.message.lowercased().contains($0.lowercased().prefix(12)) }
                    #expect(names, "\(row.id): \(error.message)")
                }
                continue
            }
            _ = try plan(of: row.query, row.id)
        }
        #expect(refused > 200)
    }
}
