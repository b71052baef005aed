import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

@Suite struct SchemaErrorTests {
    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
        } catch {
            return "\(error)"
        }
        return "nothing was thrown"
    }

    private func message(_ tree: ExpressionTree) -> String {
        message { _ = try schema.condition(tree) }
    }

    @Test func eachSaysInOneLineWhatIsWrong() {
        #expect(
            message(.operation(.greater, [.field("reel"), .literal(1)]))
                == "'Sample' has no field 'reel'; did you mean 'real'?"
        )
        #expect(message(.field("zzz")) == "'Sample' has no field 'zzz'")
        #expect(
            message(.operation(.greater, [.field("real"), .literal("warm")]))
                == #"'"warm"' is not one where a value of type real is needed"#
        )
        #expect(
            message(.operation(.less, [.field("real"), .field("integer")]))
                == "'integer' is of type integer where a value of type real is needed"
        )
        #expect(message(.field("real")) == "'real' is of type real where a condition is needed")
        #expect(
            message(.operation(.less, [.field("isMarked"), .literal(true)]))
                == "'isMarked' is of type bool where something that '<' compares is needed"
        )
        #expect(
            message(.operation(.equal, [.operation(.remainder, [.field("real"), .literal(1)]), .literal(1)]))
                == "'real' is of type real where something that '%' takes is needed"
        )
        #expect(message(.operation(.less, [.field("real")])) == "'<' takes 2 operands, not 1")
        #expect(message(.operation(.and, [])) == "'&&' takes 2 operands or more, not 0")
        #expect(
            message(.previous(.field("isMarked")))
                == "'previous(isMarked)' has no meaning here: there is one element, without the one before"
        )
        #expect(
            message(.operation(.equal, [.captured(CapturedValue(.field("real"), of: "a")), .literal(1)]))
                == "'last(a).real' has no meaning here: nothing is captured outside of a pattern"
        )
        #expect(
            message { _ = try schema.projection(.field("limit"), as: Int.self) }
                == "'limit' is optional where a value of type Int is needed"
        )
        #expect(
            message { _ = try schema.projection(.field("name"), as: Int.self) }
                == "'name' is of type text where integer is needed"
        )
        #expect(
            message { _ = try EventSchema("S", fields: [.field("a", \Sample.real), .field("a", \.name)]) }
                == "'S' has two fields 'a'; rename one"
        )
    }

    @Test func whatCannotBeDescribedIsRefused() {
        enum Plain: Hashable, Sendable { case one }
        struct Odd: Sendable {
            var plain: Plain
            var other: Int
        }
        let odd = EventSchema<Odd>("Odd", .field("other", \.other))
        #expect(message { _ = try odd.tree(of: { $0.plain == .one }) }.contains("is not a field of 'Odd'"))
        #expect(
            message { _ = try Literal<Odd, Plain>(.one).tree(in: odd) }
                == "a constant of type 'Plain' cannot be described; conform the type to SchemaValue"
        )
    }

    @Test(arguments: [
        (#"{"=>": [1, 2]}"#, "there is no operator '=>' for expressions over a schema"),
        (#"{"betwen": [1, 2, 3]}"#, "did you mean 'between'?"),
        (#"{">": {"field": "real"}}"#, "'>' needs the list of its operands"),
        (#"{">": [1]}"#, "'>' takes 2 operands, not 1"),
        (#"{}"#, "an expression must have one key, its operator, not none"),
        (#"{">": [1, 2], "<": [1, 2]}"#, "an expression must have one key, its operator, not '<', '>'"),
        (#"{"field": 3}"#, "the name of a field must be a text"),
        (#"{"number": "four"}"#, "a constant is a value"),
        (#"[1]"#, "a constant is a number, a text, true, false or null"),
    ])
    func badDocumentsAreRefused(json: String, reason: String) {
        let found = message { _ = try JSONDecoder().decode(ExpressionTree.self, from: Data(json.utf8)) }
        #expect(found.contains(reason), "\(found)")
        #expect(!found.contains("\n"))
    }

    @Test func deepDocumentsAreRefused() {
        let json = String(repeating: #"{"!": ["#, count: 220) + "true" + String(repeating: "]}", count: 220)
        let found = message { _ = try JSONDecoder().decode(ExpressionTree.self, from: Data(json.utf8)) }
        #expect(found.contains("nested at most 200 levels") || found.contains("Too many nested"), "\(found)")
    }
}
