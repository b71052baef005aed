import Testing
import WeirRecords

@testable import weir

/// Files of rules, as they are read.
@Suite struct RuleTests {
    @Test func aFileIsARule() {
        let rules = RuleFile.rules(in: "any where true\n", of: "rules/all.eql")
        #expect(rules == [RuleText(name: "all", text: "any where true\n", file: "rules/all.eql")])
    }

    @Test func commentsBeforeARuleSayMore() {
        let text = """
            // Name:  brute force\r
            // description: Five: then a success.
            //severity: high
            // author: nobody

            any where true // name: another
            """
        let rules = RuleFile.rules(in: text, of: "a.eql")
        #expect(rules.map(\.name) == ["brute force"])
        #expect(rules.map(\.summary) == ["Five: then a success."])
        #expect(rules.map(\.severity) == ["high"])
        #expect(rules.map(\.text) == [text])
    }

    @Test func aFileHasSeveralRulesWithTheirLines() {
        let rules = RuleFile.rules(
            in: "---\nany where a\n --- \n// only a remark\n---\n// name: b\nany where b\n---",
            of: "x.y.eql"
        )
        #expect(rules.map(\.name) == ["x.y-1", "b"])
        #expect(rules.map(\.text) == ["any where a", "// name: b\nany where b"])
        #expect(rules.map(\.linesBefore) == [1, 5])
    }

    @Test(arguments: ["", "\n\n", "// name: a", "---", "---\n---"])
    func aFileWithoutARuleIsOneThatCannotBeUsed(text: String) {
        #expect(RuleFile.rules(in: text, of: "a.eql").count == 1)
    }

    @Test func ofTwoRulesWithANameTheFirstIsUsed() {
        let all =
            RuleFile.rules(in: "any where a", of: "d/a.eql") + RuleFile.rules(in: "\n// name: a\nany", of: "b.eql")
        let texts = RuleTexts(all, language: "eql")
        #expect(texts.rules.map(\.file) == ["d/a.eql"])
        #expect(
            texts.flaws.map(\.message) == [
                "b.eql:2:1: there is a rule 'a' in 'd/a.eql' already; write '// name: OTHER' before this one"
            ]
        )
    }

    @Test func aRuleIsTheSameWhereverItStands() {
        let before = RuleFile.rules(in: "// name: a\nany where a\n---\n// name: b\nany where b\n", of: "r.eql")
        let after = RuleFile.rules(in: "// name: b\nany where b", of: "r.eql")
        #expect(before[1] != after[0] && before[1].isLike(after[0]) && !before[0].isLike(after[0]))
    }

    @Test func typesAreNamed() throws {
        let schema = try QueryOptions.schema(["types": "a=integer,b.c=text,d=e=real"], FieldSample())
        #expect(schema.fields == ["a": .integer, "b.c": .text, "d=e": .real])
        #expect(schema.isOpen && schema.timeField == "time")
        for (text, message) in [
            ("a", "--types: 'a' is not of the form FIELD=TYPE"),
            ("=text", "--types: '=text' is not of the form FIELD=TYPE"),
            ("a=txt", "--types: 'txt' is not one of boolean, integer, real, text, version; did you mean 'text'?"),
            ("a=text,a=real", "--types: 'a' is named twice"),
            ("a=text,", "--types: '' is not of the form FIELD=TYPE"),
        ] {
            let error = #expect(throws: HostError.self) { try QueryOptions.schema(["types": text], FieldSample()) }
            #expect(error?.message == message)
        }
    }
}
