public import WeirExpressions

/// A value that a condition of a stage compares: a property of an event or of a captured one, or what is computed of them.
@frozen
@dynamicMemberLookup
public struct StageValue<Root: Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Reader = @Sendable (borrowing Root, borrowing Captures<Root>) -> Value?

    // Nil where there is none, such as a property of what was left out.
    @usableFromInline let read: Reader
    // The event that it is computed of, and how, if it is one.
    @usableFromInline let source: StageSource?
    @usableFromInline let single: (@Sendable (borrowing Root) -> Value)?
    @usableFromInline let captures: [Int]
    @usableFromInline let text: String
    // How closely the last operator of the text binds.
    @usableFromInline let precedence: Int
    @usableFromInline let identity: AnyIdentity

    @inlinable
    init(
        _ text: String,
        _ identity: AnyIdentity,
        _ captures: [Int],
        precedence: Int = .max,
        _ read: @escaping Reader
    ) {
        self.read = read
        source = nil
        single = nil
        self.captures = captures
        self.text = text
        self.precedence = precedence
        self.identity = identity
    }

    @inlinable
    init(
        _ text: String,
        _ identity: AnyIdentity,
        _ source: StageSource,
        precedence: Int = .max,
        _ single: @escaping @Sendable (borrowing Root) -> Value
    ) {
        read = { element, captures in
            switch source {
            case .event: single(element)
            case .first(let capture, _): captures.first(capture).map { single($0) }
            case .last(let capture, _): captures.last(capture).map { single($0) }
            }
        }
        self.source = source
        self.single = single
        captures = source.captures
        self.text = text
        self.precedence = precedence
        self.identity = identity
    }

    @inlinable
    init<Expression: ElementExpression>(_ source: StageSource, _ expression: Expression)
    where Expression.Root == Root, Expression.Value == Value {
        self.init(
            source.text(of: "\(expression)", isWhole: Expression.precedence == .max),
            AnyIdentity([AnyIdentity(source), AnyIdentity(expression)]),
            source,
            precedence: source == .event ? Expression.precedence : .max
        ) { element in expression.value(of: element) }
    }

    @inlinable
    func mapped<Constant: Hashable & Sendable>(
        _ text: String,
        _ precedence: Int,
        _ symbol: String,
        _ constant: Constant,
        _ transform: @escaping @Sendable (Value) -> Value
    ) -> StageValue {
        let identity = AnyIdentity([AnyIdentity(symbol), AnyIdentity(constant), identity])
        if let source, let single {
            return StageValue(text, identity, source, precedence: precedence) { element in transform(single(element)) }
        }
        let read = read
        return StageValue(text, identity, captures, precedence: precedence) { element, captures in
            read(element, captures).map(transform)
        }
    }

    @inlinable
    func combined(
        _ symbol: String,
        _ precedence: Int,
        _ other: StageValue,
        _ combine: @escaping @Sendable (Value, Value) -> Value
    ) -> StageValue {
        let text = "\(text(within: precedence)) \(symbol) \(other.text(within: precedence + 1))"
        let identity = AnyIdentity([AnyIdentity(symbol), identity, other.identity])
        if let source, source == other.source, let left = single, let right = other.single {
            return StageValue(text, identity, source, precedence: precedence) { element in
                combine(left(element), right(element))
            }
        }
        let (left, right) = (read, other.read)
        return StageValue(text, identity, captures + other.captures, precedence: precedence) { element, captures in
            guard let left = left(element, captures), let right = right(element, captures) else { return nil }
            return combine(left, right)
        }
    }

    /// A property of the value, as in `event.position.x`.
    ///
    /// - Parameter keyPath: The property of the value.
    public subscript<Property: Sendable>(
        dynamicMember keyPath: SendableKeyPath<Value, Property>
    ) -> StageValue<Root, Property> {
        let field = Field(keyPath)
        let text = "\(text(within: .max)).\(field)"
        let identity = AnyIdentity([AnyIdentity(field), identity])
        if let source, let single {
            return StageValue<Root, Property>(text, identity, source) { element in field.value(of: single(element)) }
        }
        let read = read
        return StageValue<Root, Property>(text, identity, captures) { element, captures in
            read(element, captures).map { field.value(of: $0) }
        }
    }

    @usableFromInline
    func text(within precedence: Int) -> String { self.precedence < precedence ? "(\(text))" : text }
}

// MARK: Conditions

extension StageValue {
    /// Compares the value with a constant.
    @inlinable
    func compared<Constant: Hashable & Sendable>(
        _ symbol: String,
        _ constant: Constant,
        _ holds: @escaping @Sendable (Value) -> Bool
    ) -> StageCondition<Root> {
        let read = read
        return condition(
            "\(text(within: 4)) \(symbol) \(constantText(constant))",
            AnyIdentity([AnyIdentity(symbol), identity, AnyIdentity(constant)]),
            captures
        ) { element, captures in
            guard let value = read(element, captures) else { return false }
            return holds(value)
        }
    }

    /// Compares the value with another.
    @inlinable
    func compared(
        _ symbol: String,
        with other: StageValue,
        _ holds: @escaping @Sendable (Value, Value) -> Bool
    ) -> StageCondition<Root> {
        let (left, right) = (read, other.read)
        return condition(
            "\(text(within: 4)) \(symbol) \(other.text(within: 4))",
            AnyIdentity([AnyIdentity(symbol), identity, other.identity]),
            captures + other.captures
        ) { element, captures in
            guard let left = left(element, captures), let right = right(element, captures) else { return false }
            return holds(left, right)
        }
    }

    @inlinable
    func condition(
        _ text: String,
        _ identity: AnyIdentity,
        _ captures: [Int],
        _ holds: @escaping ConditionTable<Root>.Contextual
    ) -> StageCondition<Root> {
        var term = StageTerm.contextual(Set(captures).sorted(), text, holds)
        term.identity = identity
        return StageCondition([term])
    }
}

extension StageValue where Value: Hashable {
    /// Compares for equality, which partial matches can be found by.
    @inlinable
    func equal(to other: StageValue) -> StageCondition<Root> {
        var condition = compared("==", with: other) { $0 == $1 }
        for (event, captured) in [(self, other), (other, self)] {
            guard event.source == .event, case .last(let capture, _)? = captured.source, let value = event.single,
                let capturedValue = captured.single
            else { continue }
            condition.terms[0].planned.equality = PlanEquality(capture: capture)
            condition.terms[0].keyOfEvent = { element in UInt64(bitPattern: Int64(value(element).hashValue)) }
            condition.terms[0].keyOfCapture = { element in UInt64(bitPattern: Int64(capturedValue(element).hashValue)) }
        }
        return condition
    }
}

@usableFromInline
func constantText(_ constant: some Sendable) -> String {
    if let text = constant as? String { text.debugDescription } else { "\(constant)" }
}
