/// An expression as a value: names of fields, constants and operators, to write to a file and to build again.
///
/// Make it of a typed expression with `EventSchema.tree(of:)`, decode it, or put it together; turn it into something
/// that runs with `EventSchema.condition(_:)` or `EventSchema.projection(_:as:)`.
///
///     let tree = try schema.tree(of: { $0.celsius > 30 && $0.station == "north" })
///     tree.description  // celsius > 30 && station == "north"
///     // In JSON: {"&&": [{">": [{"field": "celsius"}, 30]}, {"==": [{"field": "station"}, "north"]}]}
///
/// Encoded, a constant is itself, a field is `{"field": "celsius"}`, and an operator is a dictionary with its name as the
/// only key and the list of its operands; see ``ExpressionOperator`` for the names. `{"previous": x}` is an expression
/// on the element before; for patterns there are `{"captured": …}` (``CapturedValue``) and `{"summary": …}`
/// (``CapturedSummary``).
public indirect enum ExpressionTree: Sendable, Hashable {
    /// The value of a field of the element.
    case field(String)
    /// A constant.
    case literal(FieldValue)
    /// An operator on its operands.
    case operation(ExpressionOperator, [ExpressionTree])
    /// An expression on the element before.
    case previous(ExpressionTree)
    /// An expression on an element that a pattern has captured.
    case captured(CapturedValue)
    /// A summary of the elements that a stage of a pattern has captured.
    case summary(CapturedSummary)
}

/// An expression on one of the elements that a stage of a pattern has captured.
public struct CapturedValue: Sendable, Hashable, Codable {
    /// Which of the stage's elements.
    public enum Pick: String, Sendable, Hashable, Codable {
        /// The one that was captured first.
        case first
        /// The one that was captured last.
        case last
    }

    /// The name of the stage.
    public var stage: String

    /// Which of the stage's elements.
    public var pick: Pick

    /// The expression; on that element alone.
    public var value: ExpressionTree

    /// Describes a value of a captured element.
    ///
    /// - Parameters:
    ///   - value: The expression; on that element alone.
    ///   - stage: The name of the stage.
    ///   - pick: Which of the stage's elements.
    public init(_ value: ExpressionTree, of stage: String, _ pick: Pick = .last) {
        self.stage = stage
        self.pick = pick
        self.value = value
    }
}

/// A summary of an expression over the elements that a stage of a pattern has captured.
public struct CapturedSummary: Sendable, Hashable, Codable {
    /// The function.
    public enum Function: String, Sendable, Hashable, Codable {
        /// How many elements have a value: those for which it is missing do not count, as in the other functions.
        case count
        /// The sum; 0 of none.
        case sum
        /// The arithmetic mean; missing of none.
        case mean
        /// The least value; missing of none.
        case minimum = "min"
        /// The greatest value; missing of none.
        case maximum = "max"
    }

    /// The function.
    public var function: Function

    /// The expression; a number, and on one element alone.
    public var value: ExpressionTree

    /// The name of the stage.
    public var stage: String

    /// Whether the element that is being looked at counts too.
    public var includesCurrent: Bool

    /// Describes a summary.
    ///
    /// - Parameters:
    ///   - function: The function.
    ///   - value: The expression; a number, and on one element alone.
    ///   - stage: The name of the stage.
    ///   - includesCurrent: Whether the element that is being looked at counts too.
    public init(
        _ function: Function,
        of value: ExpressionTree,
        over stage: String,
        includingCurrent includesCurrent: Bool = false
    ) {
        self.function = function
        self.value = value
        self.stage = stage
        self.includesCurrent = includesCurrent
    }
}

extension ExpressionTree: CustomStringConvertible {
    /// The expression as in Swift's source code, with the names of the fields.
    public var description: String {
        switch self {
        case .field(let name): name
        case .literal(let value): "\(value)"
        case .previous(let tree): "previous(\(tree))"
        case .captured(let captured): "\(captured.pick)(\(captured.stage)).\(captured.value.description(within: .max))"
        case .summary(let summary):
            "\(summary.function.rawValue)(\(summary.stage).\(summary.value.description(within: .max))"
                + (summary.includesCurrent ? ", current)" : ")")
        case .operation(let symbol, let operands):
            Self.description(symbol, operands)
        }
    }

    private static func description(_ symbol: ExpressionOperator, _ operands: [ExpressionTree]) -> String {
        if let precedence = symbol.precedence, operands.count > 1 {
            return operands.enumerated()
                .map { index, tree in tree.description(within: index == 0 ? precedence : precedence + 1) }
                .joined(separator: " \(symbol.rawValue) ")
        }
        switch (symbol, operands.count) {
        case (.not, 1): return "!\(operands[0].description(within: .max))"
        case (.negation, 1): return "-\(operands[0].description(within: .max))"
        case (.between, 3): return "between(\(operands[0]), \(operands[1])...\(operands[2]))"
        case (.isIn, 1...):
            let members = operands.dropFirst().map(\.description).joined(separator: ", ")
            return "isIn(\(operands[0]), [\(members)])"
        default: return "\(symbol.rawValue)(\(operands.map(\.description).joined(separator: ", ")))"
        }
    }

    /// The description, in parentheses where an operator binds more tightly than this expression.
    private func description(within precedence: Int) -> String {
        guard case .operation(let symbol, let operands) = self, operands.count > 1 else { return description }
        return (symbol.precedence ?? .max) < precedence ? "(\(self))" : description
    }
}

extension CapturedValue {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case stage, pick, value
    }

    /// Reads a value of a captured element.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``SchemaError`` for an unknown key, and the errors of the decoder.
    public init(from decoder: any Decoder) throws {
        try KnownKeys.check(decoder, CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stage = try container.decode(String.self, forKey: .stage)
        pick = try container.decode(Pick.self, forKey: .pick)
        value = try container.decode(ExpressionTree.self, forKey: .value)
    }
}

extension CapturedSummary {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case function, value, stage, includesCurrent
    }

    /// Reads a summary.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``SchemaError`` for an unknown key, and the errors of the decoder.
    public init(from decoder: any Decoder) throws {
        try KnownKeys.check(decoder, CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        function = try container.decode(Function.self, forKey: .function)
        value = try container.decode(ExpressionTree.self, forKey: .value)
        stage = try container.decode(String.self, forKey: .stage)
        includesCurrent = try container.decode(Bool.self, forKey: .includesCurrent)
    }
}
