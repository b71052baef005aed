extension ExpressionTree: Codable {
    // Input must not exhaust the stack. An operator takes two steps: its name and the operand's index.
    private static var deepest: Int { 400 }

    private struct Key: CodingKey {
        let stringValue: String

        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }

        static var field: Key { Key("field") }
        static var number: Key { Key("number") }
        static var previous: Key { Key("previous") }
        static var captured: Key { Key("captured") }
        static var summary: Key { Key("summary") }
    }

    /// Reads a tree.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``SchemaError`` if the input is no tree, and the errors of the decoder.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepest else {
            throw SchemaError.invalidDocument("an expression may be nested at most \(Self.deepest / 2) levels deep")
        }
        guard let container = try? decoder.container(keyedBy: Key.self) else {
            self = .literal(try FieldValue(from: decoder))
            return
        }
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            let keys = container.allKeys.map { "'\($0.stringValue)'" }.sorted().joined(separator: ", ")
            throw SchemaError.invalidDocument(
                "an expression must have one key, its operator, not \(keys.isEmpty ? "none" : keys)"
            )
        }
        switch key.stringValue {
        case Key.number.stringValue: self = .literal(try FieldValue(from: decoder))
        case Key.field.stringValue:
            guard let name = try? container.decode(String.self, forKey: key) else {
                throw SchemaError.invalidDocument("the name of a field must be a text")
            }
            self = .field(name)
        case Key.previous.stringValue: self = .previous(try container.decode(ExpressionTree.self, forKey: key))
        case Key.captured.stringValue: self = .captured(try container.decode(CapturedValue.self, forKey: key))
        case Key.summary.stringValue: self = .summary(try container.decode(CapturedSummary.self, forKey: key))
        default:
            let symbol = try ExpressionOperator(named: key.stringValue)
            guard var list = try? container.nestedUnkeyedContainer(forKey: key) else {
                throw SchemaError.invalidDocument("'\(key.stringValue)' needs the list of its operands")
            }
            var operands: [ExpressionTree] = []
            while !list.isAtEnd { operands.append(try list.decode(ExpressionTree.self)) }
            try symbol.check(count: operands.count)
            self = .operation(symbol, operands)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .literal(let value) = self { return try value.encode(to: encoder) }
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .literal: break
        case .field(let name): try container.encode(name, forKey: .field)
        case .previous(let tree): try container.encode(tree, forKey: .previous)
        case .captured(let captured): try container.encode(captured, forKey: .captured)
        case .summary(let summary): try container.encode(summary, forKey: .summary)
        case .operation(let symbol, let operands): try container.encode(operands, forKey: Key(symbol.rawValue))
        }
    }
}
