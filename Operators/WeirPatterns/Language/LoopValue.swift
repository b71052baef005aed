internal import WeirExpressions

/// A property of the events of a loop, in a condition that looks at captures.
///
/// Sums, means and extremes are kept up to date with each event that is taken: looking at them costs nothing more, however
/// long the loop. There is no mean, least or greatest of nothing, and no comparison with it holds.
public struct LoopValue<Root: Sendable, Value: Sendable> {
    private let row: LoopRow<Root>
    private let field: Field<Root, Value>

    init(_ row: LoopRow<Root>, _ field: Field<Root, Value>) {
        self.row = row
        self.field = field
    }

    /// That of the event that was captured first.
    public var first: StageValue<Root, Value> {
        let captured = StageValue(.first(row.capture, row.name), field)
        guard row.isCurrent else { return captured }
        let (first, field) = (captured.read, field)
        return StageValue(captured.text, AnyIdentity([AnyIdentity("first"), captured.identity]), [row.capture]) {
            element,
            captures in
            first(element, captures) ?? field.value(of: element)
        }
    }

    /// That of the event that was captured last.
    public var last: StageValue<Root, Value> {
        StageValue(row.isCurrent ? .event : .last(row.capture, row.name), field)
    }

    /// That of the event at a position.
    ///
    ///     begun
    ///         .followedBy.where { $0.amount > 0 }.times(3)
    ///         .next.on { _, loop, event in event.amount > loop.amount[1] }
    ///
    /// - Parameter index: The position, from 0 for the event that was captured first. No comparison holds with one that is
    ///   not there.
    /// - Complexity: Reading it is O(events of the partial match).
    public subscript(index: Int) -> StageValue<Root, Value> {
        precondition(index >= 0, "\(index) is no position; count from the end with [fromEnd: ]")
        let (capture, isCurrent, field) = (row.capture, row.isCurrent, field)
        let text = "\(row.name)[\(index)].\(field)"
        return StageValue(text, identity(text), [capture]) { element, captures in
            if let event = captures.event(capture, at: index) { return field.value(of: event) }
            return isCurrent && captures.count(capture) == index ? field.value(of: element) : nil
        }
    }

    /// That of the event at a position, counted from the end.
    ///
    ///     begun
    ///         .followedBy.where { $0.amount > 0 }.times(3)
    ///         .next.on { _, loop, event in event.amount > loop.amount[fromEnd: 1] }
    ///
    /// - Parameter distance: The position, from 0 for the event that was captured last. No comparison holds with one that is
    ///   not there.
    /// - Complexity: Reading it is O(events of the partial match since).
    public subscript(fromEnd distance: Int) -> StageValue<Root, Value> {
        precondition(distance >= 0, "\(distance) is no distance from the end")
        let (capture, isCurrent, field) = (row.capture, row.isCurrent, field)
        let text = "\(row.name)[fromEnd: \(distance)].\(field)"
        return StageValue(text, identity(text), [capture]) { element, captures in
            if isCurrent, distance == 0 { return field.value(of: element) }
            let event = captures.event(capture, fromEnd: isCurrent ? distance - 1 : distance)
            return event.map { field.value(of: $0) }
        }
    }

    private func identity(_ text: String) -> AnyIdentity {
        AnyIdentity([AnyIdentity(text), AnyIdentity(row.capture), AnyIdentity(field), AnyIdentity(row.isCurrent)])
    }

    private func summary<Result: Sendable>(
        _ function: CapturedSummary.Function,
        _ number: @escaping @Sendable (Value) -> Double,
        _ result: @escaping @Sendable (Double) -> Result
    ) -> StageValue<Root, Result> {
        let field = field
        return row.summary(
            AnyIdentity(field),
            "\(function.rawValue)(\(row.name).\(field))",
            { element in .real(number(field.value(of: element))) }
        ) { state in Double(state.result(function)).map(result) }
    }
}

extension LoopValue where Value: BinaryFloatingPoint {
    /// The sum; 0 of none.
    public var sum: StageValue<Root, Value> { summary(.sum, { Double($0) }, { Value($0) }) }

    /// The mean.
    public var mean: StageValue<Root, Value> { summary(.mean, { Double($0) }, { Value($0) }) }

    /// The least value.
    public var min: StageValue<Root, Value> { summary(.minimum, { Double($0) }, { Value($0) }) }

    /// The greatest value.
    public var max: StageValue<Root, Value> { summary(.maximum, { Double($0) }, { Value($0) }) }
}

extension LoopValue where Value: BinaryInteger {
    /// The sum, 0 of none; exact up to 2⁵³.
    public var sum: StageValue<Root, Double> { summary(.sum, { Double($0) }, \.self) }

    /// The mean.
    public var mean: StageValue<Root, Double> { summary(.mean, { Double($0) }, \.self) }

    /// The least value; exact up to 2⁵³.
    public var min: StageValue<Root, Double> { summary(.minimum, { Double($0) }, \.self) }

    /// The greatest value; exact up to 2⁵³.
    public var max: StageValue<Root, Double> { summary(.maximum, { Double($0) }, \.self) }
}
