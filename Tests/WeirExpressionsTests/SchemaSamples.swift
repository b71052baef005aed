import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

enum Kind: String, SchemaValue, CaseIterable { case trade, quote }

struct Sample: Sendable {
    var real: Double
    var single: Float
    var integer: Int
    var byte: UInt8
    var word: UInt64
    var name: String
    var isMarked: Bool
    var kind: Kind
    var note: String?
    var limit: Int?

    var twice: Double { real * 2 }

    static func random(using generator: inout some RandomNumberGenerator) -> Sample {
        Sample(
            real: Double(Int.random(in: -4...4, using: &generator)) / 2,
            single: .random(in: -2...2, using: &generator),
            integer: .random(in: -3...3, using: &generator),
            byte: .random(in: 0...255, using: &generator),
            word: Bool.random(using: &generator) ? .random(in: 0...3, using: &generator) : .max,
            name: ["", "a", "ab", "ba", "é"].randomElement(using: &generator) ?? "",
            isMarked: .random(using: &generator),
            kind: Kind.allCases.randomElement(using: &generator) ?? .trade,
            note: Bool.random(using: &generator) ? nil : "note",
            limit: Bool.random(using: &generator) ? nil : .random(in: -1...1, using: &generator)
        )
    }
}

let schema = EventSchema<Sample>(
    "Sample",
    .field("real", \.real),
    .field("single", \.single),
    .field("integer", \.integer),
    .field("byte", \.byte),
    .field("word", \.word),
    .field("name", \.name),
    .field("isMarked", \.isMarked),
    .field("kind", \.kind),
    .field("note", \.note),
    .field("limit", \.limit),
    .field("twice", \.twice)
)

/// A tree through JSON and back.
func throughJSON(_ tree: ExpressionTree) throws -> ExpressionTree {
    try JSONDecoder().decode(ExpressionTree.self, from: JSONEncoder().encode(tree))
}
