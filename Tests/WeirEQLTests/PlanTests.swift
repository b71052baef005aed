import Testing
import WeirEQL
import WeirQueries
import WeirRecords

/// The plans of queries.
struct PlanTests {
    private typealias Field = QueryPlan.Field

    private func plan(_ query: String, _ schema: QuerySchema = QuerySchema()) throws -> QueryPlan {
        try EQL().compile(query, against: schema)
    }

    /// The condition of a query about single events.
    private func condition(_ text: String, _ schema: QuerySchema = QuerySchema()) throws -> QueryTerm? {
        guard case .event(let step) = try plan("any where \(text)", schema).situation else { return nil }
        return step.condition
    }

    @Test
    func categories() throws {
        func category(_ query: String) throws -> String? {
            guard case .event(let step) = try plan(query).situation else { return "no event" }
            return step.category
        }
        #expect(try category("process where true") == "process")
        #expect(try category("any where true") == nil)
        #expect(try category("\"any\" where true") == "any")
        #expect(try category("\"my \\\"own\\\"\" where true") == "my \"own\"")
        #expect(try category("\"\"\".a-b\"\"\" where true") == ".a-b")
        #expect(try category("// first\nprocess /* then */ where // last\n true") == "process")
    }

    @Test
    func texts() throws {
        func text(_ literal: String) throws -> String? {
            guard case .binary(.equal, _, .constant(.text(let text))) = try condition("a == \(literal)") else {
                return nil
            }
            return text
        }
        #expect(try text(#""a\n\r\t\\\"\'\b\f""#) == "a\n\r\t\\\"'\u{8}\u{C}")
        #expect(try text(#""\u{e9}\u{1F642}\u{0000200f}""#) == "é🙂\u{200F}")
        #expect(try text(#""""a\n"b"""""#) == #"a\n"b""#)
        #expect(try text("\"// no comment\"") == "// no comment")
    }

    @Test
    func names() throws {
        #expect(
            try plan("any where a.b == 1 and `x y`.z == 1 and `a``b` == 1 and @t == 1 and a.where == 1").fields == [
                Field("a.b"), Field("x y.z"), Field("a`b"), Field("@t"), Field("a.where"),
            ]
        )
        #expect(try plan("any where a == 1 and ?a == 2").fields == [Field("a", isOptional: true)])
    }

    @Test
    func precedence() throws {
        let terms = ["a": 0, "b": 1, "c": 2].mapValues { QueryTerm.field($0) }
        guard let a = terms["a"], let b = terms["b"], let c = terms["c"] else { return }
        #expect(try condition("a or b and c") == .binary(.or, a, .binary(.and, b, c)))
        #expect(try condition("(a or b) and c") == .binary(.and, .binary(.or, a, b), c))
        #expect(try condition("not a and b") == .binary(.and, .not(a), b))
        #expect(try condition("not a == b") == .not(.binary(.equal, a, b)))
        #expect(try condition("not not a") == a)
        #expect(
            try condition("a + b * c > -a")
                == .binary(
                    .greater,
                    .binary(.sum, a, .binary(.product, b, c)),
                    .negative(a)
                )
        )
        #expect(
            try condition("a - b - c == 0")
                == .binary(
                    .equal,
                    .binary(.difference, .binary(.difference, a, b), c),
                    .constant(.integer(0))
                )
        )
        #expect(try condition("subtract(a, b) == multiply(c, 2)") == condition("a - b == c * 2"))
    }

    @Test
    func nullsAndConstants() throws {
        #expect(try condition("a == null") == .isMissing(.field(0)))
        #expect(try condition("null != a") == .not(.isMissing(.field(0))))
        #expect(try condition("not a == null") == .not(.isMissing(.field(0))))
        #expect(try condition("(a > 1) == null") == .isMissing(.binary(.greater, .field(0), .constant(.integer(1)))))
        #expect(try condition("a > null") == .binary(.greater, .field(0), .constant(.missing)))
        #expect(try condition("true") == nil)
        #expect(try condition("1 + 2 * 3 == 7 and null == null") == nil)
        #expect(try condition("7 / -2 == -3 and -7 % 4 == -3 and 7 / 2.0 == 3.5") == nil)
        #expect(try condition("a == 1 and 1 > 2") == .constant(.boolean(false)))
        #expect(try condition("a == 1 / 0") == .binary(.equal, .field(0), .constant(.missing)))
        #expect(try condition("a == -9223372036854775808") == .binary(.equal, .field(0), .constant(.integer(.min))))
        let overflow = QueryTerm.binary(.sum, .constant(.integer(.max)), .constant(.integer(1)))
        #expect(try condition("a == 9223372036854775807 + 1") == .binary(.equal, .field(0), overflow))
    }

    @Test
    func lists() throws {
        #expect(
            try condition("a in (1, null, 2)") == .isAny(.field(0), [.integer(1), .integer(2)], ignoringCase: false)
        )
        #expect(try condition("a not in~ (\"x\")") == .not(.isAny(.field(0), [.text("x")], ignoringCase: true)))
        #expect(
            try condition("a in (\"x\", b)")
                == .binary(
                    .or,
                    .isAny(.field(0), [.text("x")], ignoringCase: false),
                    .binary(.equal, .field(0), .field(1))
                )
        )
        let wildcards = [
            try TextPattern("x*", .wildcard, ignoringCase: true), try TextPattern("y", .wildcard, ignoringCase: true),
        ]
        #expect(try condition("a : (\"x*\", \"y\")") == .matches(.field(0), wildcards))
        #expect(try condition("a like~ (\"x*\", \"y\")") == condition("a : (\"x*\", \"y\")"))
        #expect(try condition("a like \"x*\"") == .matches(.field(0), [try TextPattern("x*", .wildcard)]))
        let expression = try TextPattern("x+", .regularExpression, ignoringCase: true)
        #expect(try condition("a regex~ \"x+\"") == .matches(.field(0), [expression]))
    }

    @Test
    func functions() throws {
        let parts: [QueryTerm] = [.field(0), .constant(.text("x"))]
        #expect(try condition("startsWith(a, \"x\")") == .call(.startsWith, parts, ignoringCase: false))
        #expect(try condition("STARTSWITH~(a, \"x\")") == .call(.startsWith, parts, ignoringCase: true))
        let length = QueryTerm.call(.length, [.field(0)], ignoringCase: false)
        #expect(try condition("length~(a) == 3") == .binary(.equal, length, .constant(.integer(3))))
    }

    @Test
    func inferredTypes() throws {
        func types(_ condition: String, _ schema: QuerySchema = QuerySchema()) throws -> [QueryType?] {
            try plan("any where \(condition)", schema).fields.map(\.type)
        }
        #expect(
            try types("a == \"x\" and b > 5 and c and d == true and e == f") == [
                .text, nil, .boolean, .boolean, nil, nil,
            ]
        )
        #expect(try types("length(a) > 1 and b : \"x\" and c in (\"x\") and d + 1 > 2") == [.text, .text, .text, nil])
        // Both are taken as each record shows them.
        #expect(try types("a == \"x\" or a == 5") == [nil])
        #expect(try types("a == null or concat(b, c) == \"x\"") == [nil, nil, nil])
        let schema = QuerySchema(fields: ["a": .integer, "b": .version, "c": nil])
        #expect(try types("a > 1 and b > \"1.2\" and c == \"x\"", schema) == [.integer, .version, .text])
    }

    @Test
    func sequences() throws {
        let query = """
            sequence by user, ?host with maxspan=1500ms
              [login where not ok] by a with runs=5
              ![login where ok] by a
              [any where true] by ?b
            until [logout where true] by a
            | head 10 | tail 2
            """
        let plan = try plan(query)
        let shared = [QueryPlan.Key(field: 1), QueryPlan.Key(field: 2, acceptsMissing: true)]
        let own = shared + [QueryPlan.Key(field: 3)]
        let steps = [
            QueryPlan.Step(category: "login", condition: .not(.field(0)), keys: own, runs: 5),
            QueryPlan.Step(category: "login", condition: .field(0), keys: own, isMissing: true),
            QueryPlan.Step(keys: shared + [QueryPlan.Key(field: 4, acceptsMissing: true)]),
        ]
        let until = QueryPlan.Step(category: "logout", keys: own)
        #expect(plan.situation == .sequence(QueryPlan.Sequence(steps, until: until, maxSpan: 1_500_000_000)))
        #expect(plan.pipes == [.head(10), .tail(2)])
        #expect(plan.fields.map(\.name) == ["ok", "user", "host", "a", "b"])
        #expect(plan.fields.map(\.isOptional) == [false, false, true, false, true])
        #expect(try EQL().compile(plan.description, against: QuerySchema()) == plan)
    }

    @Test(arguments: [
        ("5ms", 5_000_000), ("7s", 7_000_000_000), ("2m", 120_000_000_000), ("1h", 3_600_000_000_000),
        ("1d", 86_400_000_000_000), ("3 s", 3_000_000_000), ("9micros", 9_000), ("4nanos", 4),
    ])
    func timeSpans(_ text: String, _ nanoseconds: Int64) throws {
        let plan = try plan("sequence with maxspan = \(text) by a [any where true] [any where true]")
        guard case .sequence(let sequence) = plan.situation else { return }
        #expect(sequence.maxSpan == nanoseconds)
    }

    @Test
    func samplesAndPipes() throws {
        let plan = try plan("sample by a [x where true] by b [y where c] by d | unique a, length(c) | sort a | count")
        let step = QueryPlan.Step(category: "x", keys: [QueryPlan.Key(field: 0), QueryPlan.Key(field: 1)])
        let other = QueryPlan.Step(
            category: "y",
            condition: .field(2),
            keys: [QueryPlan.Key(field: 0), QueryPlan.Key(field: 3)]
        )
        #expect(plan.situation == .sample([step, other]))
        let length = QueryTerm.call(.length, [.field(2)], ignoringCase: false)
        #expect(plan.pipes == [.unique([.field(0), length]), .sort([.field(0)]), .count([])])
    }

    @Test
    func optionalFieldsNeedNotExist() throws {
        let schema = QuerySchema(fields: ["a": .text], isOpen: false)
        #expect(try plan("any where ?b == null and a != null", schema).fields.map(\.name) == ["b", "a"])
    }
}
