public import WeirExpressions

extension StagedPattern {
    // MARK: Single events

    /// Adds a stage for the very next event.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: How long after the event before it the event must come; exclusive.
    ///   - condition: Takes the event.
    /// - Returns: The pattern with one more capture, an event.
    @inlinable
    public func next<each Capture: Sendable>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, Element)> where Captured == (repeat each Capture) {
        adding(name, .next, .unary(condition), gap)
    }

    /// Adds a stage for the very next event, compared with what has been captured.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: How long after the event before it the event must come; exclusive.
    ///   - condition: Takes the event and the captures so far.
    /// - Returns: The pattern with one more capture, an event.
    @inlinable
    public func next<each Capture: Sendable>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, Element)> where Captured == (repeat each Capture) {
        adding(name, .next, contextual(condition), gap)
    }

    /// Adds a stage for the very next event, by an expression.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: How long after the event before it the event must come; exclusive.
    ///   - condition: The expression.
    /// - Returns: The pattern with one more capture, an event.
    @inlinable
    public func next<each Capture: Sendable, Condition: ElementExpression>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: Condition
    ) -> StagedPattern<Element, (repeat each Capture, Element)>
    where Captured == (repeat each Capture), Condition.Root == Element, Condition.Value == Bool {
        adding(name, .next, .expression(condition), gap)
    }

    /// Adds a stage for the very next event, by an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in diagnostics.
    ///   - gap: How long after the event before it the event must come; exclusive.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The pattern with one more capture, an event.
    @inlinable
    public func next<each Capture: Sendable>(
        named name: String? = nil,
        within gap: Duration? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, (repeat each Capture, Element)> where Captured == (repeat each Capture) {
        adding(name, .next, condition, gap)
    }

    // MARK: Events that can be left out

    /// Adds a stage for the very next event, which can be left out.
    ///
    /// - Parameters:
    ///   - optional: That it can be left out.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event.
    /// - Returns: The pattern with one more capture, an optional event.
    @inlinable
    public func next<each Capture: Sendable>(
        _ optional: Optionality,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, Element?)> where Captured == (repeat each Capture) {
        addingOptional(name, .next, .unary(condition))
    }

    /// Adds a stage for the very next event, compared with what has been captured, which can be left out.
    ///
    /// - Parameters:
    ///   - optional: That it can be left out.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes the event and the captures so far.
    /// - Returns: The pattern with one more capture, an optional event.
    @inlinable
    public func next<each Capture: Sendable>(
        _ optional: Optionality,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, Element?)> where Captured == (repeat each Capture) {
        addingOptional(name, .next, contextual(condition))
    }

    /// Adds a stage for the very next event, by a condition of any kind, which can be left out.
    ///
    /// - Parameters:
    ///   - optional: That it can be left out.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression.
    /// - Returns: The pattern with one more capture, an optional event.
    @inlinable
    public func next<each Capture: Sendable, Condition: ElementExpression>(
        _ optional: Optionality,
        named name: String? = nil,
        _ condition: Condition
    ) -> StagedPattern<Element, (repeat each Capture, Element?)>
    where Captured == (repeat each Capture), Condition.Root == Element, Condition.Value == Bool {
        addingOptional(name, .next, .expression(condition))
    }

    /// Adds a stage for the very next event, by a condition of any kind, which can be left out.
    ///
    /// - Parameters:
    ///   - optional: That it can be left out.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The pattern with one more capture, an optional event.
    @inlinable
    public func next<each Capture: Sendable>(
        _ optional: Optionality,
        named name: String? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, (repeat each Capture, Element?)> where Captured == (repeat each Capture) {
        addingOptional(name, .next, condition)
    }

    // MARK: Loops

    /// Adds a loop, whose first event is the very next event.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes an event.
    /// - Returns: The pattern with one more capture, an array of events.
    @inlinable
    public func next<each Capture: Sendable>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, [Element])> where Captured == (repeat each Capture) {
        adding(name, .next, repetition, .unary(condition))
    }

    /// Adds a loop, whose events are compared with what has been captured before it.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes an event and the captures so far.
    /// - Returns: The pattern with one more capture, an array of events.
    @inlinable
    public func next<each Capture: Sendable>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: @escaping @Sendable (Element, repeat each Capture) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, [Element])> where Captured == (repeat each Capture) {
        adding(name, .next, repetition, contextual(condition))
    }

    /// Adds a loop, whose events are compared with the loop so far, and with what has been captured before it.
    ///
    /// The events of the loop are put into an array for each call; ``sumSoFar(of:)`` and its like look at a loop without.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: Takes an event, the events of the loop so far, and the captures before it.
    /// - Returns: The pattern with one more capture, an array of events.
    @inlinable
    public func next<each Capture: Sendable>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        comparing condition: @escaping @Sendable (Element, [Element], repeat each Capture) -> Bool
    ) -> StagedPattern<Element, (repeat each Capture, [Element])> where Captured == (repeat each Capture) {
        adding(name, .next, repetition, contextual(loop: draft.captures.count, condition))
    }

    /// Adds a loop by an expression.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression.
    /// - Returns: The pattern with one more capture, an array of events.
    @inlinable
    public func next<each Capture: Sendable, Condition: ElementExpression>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: Condition
    ) -> StagedPattern<Element, (repeat each Capture, [Element])>
    where Captured == (repeat each Capture), Condition.Root == Element, Condition.Value == Bool {
        adding(name, .next, repetition, .expression(condition))
    }

    /// Adds a loop by an expression that looks at captures.
    ///
    /// - Parameters:
    ///   - repetition: How often, and how closely.
    ///   - name: What the stage is called in diagnostics.
    ///   - condition: The expression, such as `\.amount > 2 * captured(0, \.amount)`.
    /// - Returns: The pattern with one more capture, an array of events.
    @inlinable
    public func next<each Capture: Sendable>(
        _ repetition: Repetition<Element>,
        named name: String? = nil,
        _ condition: StageCondition<Element>
    ) -> StagedPattern<Element, (repeat each Capture, [Element])> where Captured == (repeat each Capture) {
        adding(name, .next, repetition, condition)
    }

    // MARK: Groups

    /// Adds the stages of another pattern as a group, the first event of which is the very next event.
    ///
    /// - Parameters:
    ///   - group: The stages; what else the pattern says is not looked at.
    ///   - name: What the group is called in diagnostics.
    ///   - repetition: How often; once if there is none.
    /// - Returns: The pattern with one more capture, the events of the group.
    @inlinable
    public func next<each Capture: Sendable, Inner: Sendable>(
        group: StagedPattern<Element, Inner>,
        named name: String? = nil,
        _ repetition: Repetition<Element>? = nil
    ) -> StagedPattern<Element, (repeat each Capture, GroupCapture<Element>)> where Captured == (repeat each Capture) {
        adding(group.draft, name, .next, repetition) { .group($0) }
    }

    /// Adds alternatives, of which one has to match.
    ///
    /// - Parameters:
    ///   - alternatives: What can match; a stage or a sequence of stages each.
    ///   - name: What they are called in diagnostics.
    ///   - repetition: How often; once if there is none.
    /// - Returns: The pattern with one more capture, the events of the alternative that matched.
    @inlinable
    public func next<each Capture: Sendable>(
        either alternatives: Alternative<Element>...,
        named name: String? = nil,
        _ repetition: Repetition<Element>? = nil
    ) -> StagedPattern<Element, (repeat each Capture, GroupCapture<Element>)> where Captured == (repeat each Capture) {
        let (group, content) = Alternative.joined(alternatives)
        return adding(group, name, .next, repetition, content)
    }

    /// Adds events that match in any order, each of them once.
    ///
    /// - Parameters:
    ///   - conditions: What each of them must satisfy; 2 to 8.
    ///   - name: What they are called in diagnostics.
    ///   - repetition: How often; once if there is none.
    /// - Returns: The pattern with one more capture, the events in the order in which they came.
    @inlinable
    public func next<each Capture: Sendable>(
        allOf conditions: (@Sendable (Element) -> Bool)...,
        named name: String? = nil,
        _ repetition: Repetition<Element>? = nil
    ) -> StagedPattern<Element, (repeat each Capture, GroupCapture<Element>)> where Captured == (repeat each Capture) {
        adding(.anyOrder(conditions), name, .next, repetition) { .allOf($0) }
    }
}
