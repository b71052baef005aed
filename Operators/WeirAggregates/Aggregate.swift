public import WeirCore

/// A summary of elements that is updated with each.
///
/// A value of a conforming type is the aggregate of no elements; an operator copies it, once for each window. Conform
/// to ``MergeableAggregate`` and ``InvertibleAggregate`` where you can: hopping and sliding windows then cost far less.
///
///     struct Longest: Aggregate {
///         private var length = 0
///         mutating func add(_ element: borrowing String, at time: Timestamp) { length = max(length, element.count) }
///         mutating func result() -> Int { length }
///     }
///     lines.map(\.text).tumbling(.seconds(1)).aggregate(Longest())
public protocol Aggregate<Input, Output>: Sendable {
    /// The elements that are summarised.
    associatedtype Input: Sendable

    /// The summary.
    associatedtype Output: Sendable

    /// Whether the state grows with the number of elements, so that a window must limit how many it takes.
    static var keepsElements: Bool { get }

    /// Adds an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time; elements may arrive out of order.
    mutating func add(_ element: borrowing Input, at time: Timestamp)

    /// Makes the summary of the elements that were added.
    ///
    /// - Returns: The aggregate. Windows call this only when there is an element; more may be added afterwards.
    mutating func result() -> Output

    /// Saves what the aggregate remembers, or gives it back.
    ///
    ///     struct Total {
    ///         var sum = 0.0
    ///
    ///         mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    ///             try state.exchange(&sum)
    ///         }
    ///     }
    ///
    /// By default a checkpoint of the pipeline is refused, with the name of the aggregate.
    ///
    /// - Parameter state: Takes the fields, in the section of the operator.
    /// - Throws: What `state` throws.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension Aggregate {
    @inlinable
    public static var keepsElements: Bool { false }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: "\(Self.self)")
    }
}

/// An aggregate that can take an element out again, which makes sliding windows O(1) per element.
public protocol InvertibleAggregate<Input, Output>: Aggregate {
    /// Removes the oldest element that is still in.
    ///
    /// - Parameters:
    ///   - element: The element, as it was added.
    ///   - time: Its event time.
    mutating func remove(_ element: borrowing Input, at time: Timestamp)
}

/// An aggregate that can be put together from the aggregates of parts, so that overlapping windows share panes.
public protocol MergeableAggregate<Input, Output>: Aggregate {
    /// Adds the elements of another aggregate that was made from the same one.
    ///
    /// - Parameter other: As a rule of elements that came later, but windows with gaps may join in any order.
    mutating func merge(_ other: Self)
}

/// An aggregate whose result is the value of one of its elements, the one that no other supersedes.
///
/// On a sliding window it needs to remember only those that may still become the result.
public protocol SelectingAggregate<Input, Output>: MergeableAggregate {
    /// The value of an element.
    ///
    /// - Parameter element: The element.
    /// - Returns: The result for this element alone.
    func value(of element: borrowing Input) -> Output

    /// Whether a value makes one before it irrelevant; a total preorder.
    ///
    /// - Parameters:
    ///   - later: The value of the later element.
    ///   - earlier: The value of the earlier element.
    /// - Returns: `true` when the earlier one cannot be the result any more, also when both are equal.
    func supersedes(_ later: Output, _ earlier: Output) -> Bool
}
