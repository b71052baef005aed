public import WeirCore

/// Which elements of a stream are retained, and when they leave.
///
/// The rules of the library are made by `retaining`; one of your own is given to `retaining(by:)`.
///
///     struct Even: Retention {
///         var last: Int?
///         mutating func receive(_ element: Int, at time: Timestamp, _ changes: inout RetentionChanges<Int>) {
///             guard element.isMultiple(of: 2) else { return }
///             if let last { changes.append(.left(last), at: time) }
///             changes.append(.entered(element), at: time)
///             last = element
///         }
///         mutating func exchangeState(_ state: inout StateExchange) throws(StateError) { try state.exchange(&last) }
///     }
public protocol Retention<Element>: Sendable {
    /// What is retained.
    associatedtype Element: Sendable

    /// Whether the rule goes by event time, so that elements older than the watermark come too late for it.
    var isTimed: Bool { get }

    /// Takes an element in, or leaves it out.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    ///   - changes: Takes what changes, in order.
    mutating func receive(_ element: Element, at time: Timestamp, _ changes: inout RetentionChanges<Element>)

    /// Lets elements go whose time is over.
    ///
    /// - Parameters:
    ///   - watermark: No older element will come.
    ///   - changes: Takes what changes, in order.
    mutating func advance(to watermark: Timestamp, _ changes: inout RetentionChanges<Element>)

    /// Saves what is retained, or gives it back.
    ///
    /// - Parameter state: Takes the fields.
    /// - Throws: `StateError`.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension Retention {
    @inlinable
    public var isTimed: Bool { false }

    @inlinable
    public mutating func advance(to watermark: Timestamp, _ changes: inout RetentionChanges<Element>) {}
}

/// What changes with an element or a watermark, in order.
@frozen
public struct RetentionChanges<Element: Sendable>: Sendable {
    @usableFromInline var waiting: ContiguousArray<(change: WindowChange<Element>, time: Timestamp)> = []
    @usableFromInline var early: ContiguousArray<(element: Element, time: Timestamp)> = []

    @inlinable
    init() {}

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - change: What enters or leaves.
    ///   - time: The event time of that.
    @inlinable
    public mutating func append(_ change: WindowChange<Element>, at time: Timestamp) {
        waiting.append((change, time))
    }

    /// Adds an element that leaves before its turn, because there are too many.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: The event time of that.
    @inlinable
    public mutating func appendEarly(_ element: Element, at time: Timestamp) {
        early.append((element, time))
        waiting.append((.left(element), time))
    }
}
