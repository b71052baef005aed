public import WeirExpressions

/// What a partial match has captured so far, for the conditions that look at it.
///
/// Valid only during the call of the condition.
@frozen
public struct Captures<Element: Sendable>: Sendable {
    @usableFromInline let paths: PathStore<Element>
    @usableFromInline var last: Int32
    // What the numbers that a condition knows are moved by, where it was written for a group.
    @usableFromInline let firstCapture: Int
    @usableFromInline let firstAggregate: Int

    @inlinable
    init(_ paths: PathStore<Element>, _ last: Int32, firstCapture: Int = 0, firstAggregate: Int = 0) {
        self.paths = paths
        self.last = last
        self.firstCapture = firstCapture
        self.firstAggregate = firstAggregate
    }

    /// The same captures, for a condition that counts them from others on.
    @inlinable
    func moved(captures: Int, aggregates: Int) -> Captures {
        Captures(
            paths,
            last,
            firstCapture: firstCapture + captures,
            firstAggregate: firstAggregate + aggregates
        )
    }

    /// The event that a stage captured last; `nil` if there is none.
    ///
    /// - Parameter capture: The number of the stage's capture.
    /// - Returns: The event.
    /// - Complexity: O(*n*) for *n* events that the partial match captured later.
    @inlinable
    public func last(_ capture: Int) -> Element? {
        let capture = capture + firstCapture
        var node = last
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture == capture { return paths.events[Int(current.event)].element }
            node = current.parent
        }
        return nil
    }

    /// The event that a stage captured first; `nil` if there is none.
    ///
    /// - Parameter capture: The number of the stage's capture.
    /// - Returns: The event.
    /// - Complexity: O(*n*) for *n* events that the partial match has captured.
    @inlinable
    public func first(_ capture: Int) -> Element? {
        let capture = capture + firstCapture
        var node = last
        var event: Int32 = -1
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture == capture { event = current.event }
            node = current.parent
        }
        return event >= 0 ? paths.events[Int(event)].element : nil
    }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter capture: The number of the stage's capture.
    /// - Returns: The events.
    /// - Complexity: O(*n*) for *n* events that the partial match has captured; allocates an array.
    @inlinable
    public func all(_ capture: Int) -> [Element] {
        let capture = capture + firstCapture
        var node = last
        var elements: [Element] = []
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture == capture, let element = paths.events[Int(current.event)].element {
                elements.append(element)
            }
            node = current.parent
        }
        elements.reverse()
        return elements
    }

    /// The summary of a stage's events, for an aggregate that the pattern has declared.
    ///
    /// - Parameter index: The number of the aggregate in ``ConditionTable/aggregates``.
    /// - Returns: The summary.
    /// - Complexity: O(1).
    @inlinable
    public func summary(_ index: Int) -> SummaryState {
        last < 0 ? SummaryState() : paths.accumulated[Int(last) * paths.aggregates.count + index + firstAggregate]
    }
}

/// A value of the events of a capture that is accumulated while they are captured.
@frozen
public struct PlanAggregate<Element: Sendable>: Sendable {
    /// The capture.
    @usableFromInline let capture: Int

    /// The value of an event.
    @usableFromInline let value: @Sendable (borrowing Element) -> FieldValue

    /// Declares an aggregate.
    ///
    /// - Parameters:
    ///   - capture: The number of the capture.
    ///   - value: The value of an event.
    @inlinable
    public init(capture: Int, value: @escaping @Sendable (borrowing Element) -> FieldValue) {
        self.capture = capture
        self.value = value
    }
}
