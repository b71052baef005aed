public import WeirExpressions

// Without a constraint on the last capture: with one, a typo in the closure is reported as another mistake.
extension StagedPattern {
    /// Also asks of the last stage that its event fits the captures before it.
    ///
    ///     begun
    ///         .followedBy { $0.isFaceToFace }
    ///         .filter { first, second in distance(first, second) > 500_000 }
    ///
    /// Before `times` the condition is asked of each event of the loop. Behind it the last parameter is the loop so far, an
    /// array that ends with the event in question; it is made for each call, which ``on(_:)`` avoids.
    ///
    /// A group has no condition of its own: what is asked of its stages stands there.
    ///
    /// It is a condition of the stage: for a forbidden event it is part of what is forbidden, and a stage of `followedBy`
    /// passes events over for which it does not hold. Matches that are complete are filtered as the stream that they are.
    ///
    /// - Parameter condition: Takes the captures in their order, the last stage's at the end.
    /// - Returns: The pattern with that condition.
    @inlinable
    public func filter(_ condition: List.Test) -> StagedPattern {
        changed { $0.require(List.condition(condition, slots)) }
    }

    /// Also asks of the last stage that its event fits the captures before it, by an expression.
    ///
    ///     Pattern<Purchase>
    ///         .first.where { $0.amount < 10 }.times(3...)
    ///         .next.on { small, large in large.amount > 100 * small.amount.mean && large.card == small.card.last }
    ///
    /// Unlike a closure it can be read: an equality finds the partial matches that an event can move without trying them
    /// all, sums and means of loops are kept up to date as events are taken, and an explanation shows it. What looks at
    /// the event alone is tried before partial matches are. No comparison holds with what was left out.
    ///
    /// See ``filter(_:)`` for what it means in loops.
    ///
    /// - Parameter condition: Takes rows that stand for the captures in their order, and returns the condition; called once.
    /// - Returns: The pattern with that condition.
    @inlinable
    public func on(_ condition: List.Where) -> StagedPattern {
        changed { draft in
            let scope = StageScope<List.Event>(draft)
            let condition = List.condition(condition, slots, scope)
            draft.require(condition, scope)
        }
    }
}

extension StagedPattern where List.Last: RepeatableCapture {
    /// Makes the last stage a loop of exactly `count` events.
    ///
    /// - Parameter count: How often; positive.
    /// - Returns: The pattern whose last capture is an array.
    @inlinable
    public func times(_ count: Int) -> StagedPattern<List.Repeated> {
        cast { $0.repeatLast(count, count) }
    }

    /// Makes the last stage a loop.
    ///
    ///     begun.followedBy { $0.amount < 10 }.times(3...)
    ///     begun.followedBy { $0.amount < 10 }.times(0...2).greedy()
    ///
    /// - Parameter range: How often, as in `2...4` or `1...`; if it begins at 0, the stage can be left out.
    /// - Returns: The pattern whose last capture is an array.
    @inlinable
    public func times<Times: RangeExpression>(_ range: Times) -> StagedPattern<List.Repeated> where Times.Bound == Int {
        let bounds = range.relative(to: RepetitionCounts())
        let least = bounds.lowerBound == .min ? 0 : bounds.lowerBound
        let end = max(bounds.upperBound, .min + 1)
        return cast { $0.repeatLast(least, end == .max ? nil : end - 1) }
    }
}

/// All numbers of times; beyond the greatest there is none, so that a range that ends with it has no end.
@usableFromInline
struct RepetitionCounts: Collection {
    @inlinable
    init() {}

    @inlinable var startIndex: Int { .min }
    @inlinable var endIndex: Int { .max }

    @inlinable
    subscript(position: Int) -> Int { position }

    @inlinable
    func index(after position: Int) -> Int { position == .max ? .max : position + 1 }
}

extension StagedPattern where List.Last: OptionalCapture {
    /// Lets the last stage be left out.
    ///
    /// - Returns: The pattern whose last capture is an optional; an empty array for a loop that is left out.
    @inlinable
    public func optional() -> StagedPattern<List.Maybe> {
        cast { $0.makeLastOptional() }
    }
}

extension StagedPattern where List.Last: LoopCapture {
    /// Lets the loop take all that it can before the next stage may go on.
    @inlinable
    public func greedy() -> StagedPattern {
        changed { $0.withLast { $0.quantifier.isGreedy = true } }
    }

    /// Forbids that anything lies between the events of the loop.
    @inlinable
    public func consecutive() -> StagedPattern {
        changed { $0.withLast { $0.quantifier.inner = .consecutive } }
    }

    /// Lets any events lie between those of the loop: every combination is a match of its own.
    @inlinable
    public func allowCombinations() -> StagedPattern {
        changed { $0.withLast { $0.quantifier.inner = .combinations } }
    }

    /// Ends the loop for good with the first event that satisfies a condition.
    ///
    /// - Parameter condition: Takes the event; for loops without a greatest number of times.
    /// - Returns: The pattern with that end.
    @inlinable
    public func until(_ condition: @escaping @Sendable (List.Event) -> Bool) -> StagedPattern {
        changed { $0.endLast(.unary(condition)) }
    }

    /// Ends the loop for good with the first event that satisfies an expression.
    ///
    /// - Parameter condition: Takes a row that stands for the event, and returns the expression; for loops without a
    ///   greatest number of times.
    /// - Returns: The pattern with that end.
    @inlinable
    public func untilWhere<Condition: ElementExpression>(
        _ condition: (Row<List.Event>) -> Term<Condition>
    ) -> StagedPattern where Condition.Root == List.Event, Condition.Value == Bool {
        changed { $0.endLast(.expression(condition(Row()).expression)) }
    }

    /// Ends the loop for good with the first event that satisfies an expression that looks at captures.
    ///
    /// - Parameter condition: Takes rows that stand for the captures in their order, that of the loop so far at the end;
    ///   for loops without a greatest number of times.
    /// - Returns: The pattern with that end.
    @inlinable
    public func untilOn(_ condition: List.Where) -> StagedPattern {
        changed { draft in
            let scope = StageScope<List.Event>(draft)
            let condition = List.condition(condition, slots, scope)
            draft.endLast(condition, scope)
        }
    }
}
