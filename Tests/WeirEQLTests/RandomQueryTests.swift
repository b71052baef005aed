import TestStreams
import Testing
import WeirCore
import WeirEQL
import WeirQueries
import WeirRecords

/// Queries that are made up.
struct RandomQueryTests {
    /// A text is a query, or its error says where it is not.
    private func check(_ text: String, _ seed: UInt64) {
        do throws(QueryError) {
            let plan = try EQL().compile(text, against: QuerySchema())
            let again = try EQL().compile(plan.description, against: QuerySchema())
            #expect(again.description == plan.description, "seed \(seed): \(text)")
        } catch {
            let isWithin = error.offset >= 0 && error.offset + error.length <= text.utf8.count
            #expect(isWithin, "seed \(seed): \(error) has another place")
            let controls = error.message.unicodeScalars.contains { $0.properties.generalCategory == .control }
            #expect(!error.message.isEmpty && !controls, "seed \(seed): \(error.message.debugDescription)")
        }
    }

    @Test
    func tokensInAnyOrder() {
        for seed in seeds(60_000) {
            var maker = QueryMaker(seed: seed)
            check(maker.soup(), seed)
        }
    }

    @Test
    func changedQueries() {
        for seed in seeds(30_000) {
            var maker = QueryMaker(seed: seed)
            let query = maker.query()
            check(maker.mutated(query), seed)
        }
    }

    @Test(.enabled(if: !CorpusCase.folders.isEmpty, "../shared/corpora/eql is missing"))
    func changedRules() throws {
        let rules = try CorpusCase.all(in: "detection-rules.jsonl").map(\.query).filter { $0.utf8.count < 1_000 }
        for seed in seeds(5_000) {
            var maker = QueryMaker(seed: seed)
            let rule = rules[maker.below(rules.count)]
            check(maker.mutated(rule), seed)
        }
    }

    @Test
    func rightQueriesAreReadAgain() throws {
        for seed in seeds(10_000) {
            var maker = QueryMaker(seed: seed)
            let query = maker.query()
            do throws(QueryError) {
                let plan = try EQL().compile(query, against: QuerySchema())
                let again = try EQL().compile(plan.description, against: QuerySchema())
                #expect(again.description == plan.description, "seed \(seed): \(query)")
            } catch {
                // Constants of different kinds, and fields that are compared with each other, may not fit.
                Issue.record("seed \(seed): \(error)\n\(query)")
            }
        }
    }
}
