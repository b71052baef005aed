public import WeirCore
public import WeirExpressions

/// What a partial match has captured so far, for the conditions that look at it.
///
/// Valid only during the call of the condition.
@frozen
public struct Captures<Element: Sendable>: Sendable {
    @usableFromInline let paths: PathStore<Element>
    @usableFromInline var last: Int32
    // The time of the event that is being looked at.
    @usableFromInline let now: Timestamp
    // What the numbers that a condition knows are moved by, where it was written for a group.
    @usableFromInline let firstCapture: Int
    @usableFromInline let firstAggregate: Int

    @inlinable
    init(
        _ paths: PathStore<Element>,
        _ last: Int32,
        at now: Timestamp,
        firstCapture: Int = 0,
        firstAggregate: Int = 0
    ) {
        self.paths = paths
        self.last = last
        self.now = now
        self.firstCapture = firstCapture
        self.firstAggregate = firstAggregate
    }

    /// The same captures, for a condition that counts them from others on.
    @inlinable
    func moved(captures: Int, aggregates: Int) -> Captures {
        Captures(
            paths,
            last,
            at: now,
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

    /// The event that a stage captured at a position; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - capture: The number of the stage's capture.
    ///   - index: The position, from 0, counted from the first event.
    /// - Returns: The event.
    /// - Complexity: O(*n*) for *n* events that the partial match has captured.
    @inlinable
    public func event(_ capture: Int, at index: Int) -> Element? {
        let count = count(capture)
        return (0..<count).contains(index) ? event(capture, fromEnd: count - 1 - index) : nil
    }

    /// The event that a stage captured at a position, counted from the last one; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - capture: The number of the stage's capture.
    ///   - distance: The position: 0 for the last event, 1 for the one before it.
    /// - Returns: The event.
    /// - Complexity: O(*n*) for *n* events that the partial match captured since.
    @inlinable
    public func event(_ capture: Int, fromEnd distance: Int) -> Element? {
        let capture = capture + firstCapture
        var (node, left) = (last, distance)
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture == capture {
                if left == 0 { return paths.events[Int(current.event)].element }
                left -= 1
            }
            node = current.parent
        }
        return nil
    }

    /// How many events a stage has captured.
    ///
    /// - Parameter capture: The number of the stage's capture.
    /// - Returns: The number.
    /// - Complexity: O(*n*) for *n* events that the partial match has captured.
    @inlinable
    public func count(_ capture: Int) -> Int {
        let capture = capture + firstCapture
        var (node, count) = (last, 0)
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture == capture { count += 1 }
            node = current.parent
        }
        return count
    }

    /// The time of the last event that a stage before another one captured.
    ///
    /// - Parameter capture: The number of the other stage's capture.
    /// - Returns: The time; `nil` if there is no such event.
    /// - Complexity: O(*n*) for *n* events that the partial match captured since.
    @inlinable
    func time(before capture: Int) -> Timestamp? {
        var node = last
        while node >= 0 {
            let current = paths.nodes[Int(node)]
            if current.capture < capture { return paths.time(of: node) }
            node = current.parent
        }
        return nil
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
