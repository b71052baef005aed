/// A source that sends each subscriber at most as many elements as it requests: the publisher of Reactive Streams
/// 1.0.4.
///
/// These protocols are for meeting other libraries at the edge of a graph; inside a graph demand needs none of this.
public protocol Publisher<Output>: Sendable {
    /// The elements that it sends.
    associatedtype Output: Sendable

    /// Adds a subscriber, which gets its subscription first.
    ///
    /// - Parameter subscriber: Who is to get the elements.
    func subscribe(_ subscriber: any Subscriber<Output>)
}

/// Something that gets elements from a publisher: the subscriber of Reactive Streams 1.0.4.
///
/// The four are called one at a time, in the order `onSubscribe onNext* (onError | onComplete)?`.
public protocol Subscriber<Input>: Sendable {
    /// The elements that it takes.
    associatedtype Input: Sendable

    /// Called first, with the subscription that requests elements.
    ///
    /// - Parameter subscription: The subscription.
    func onSubscribe(_ subscription: any DemandSubscription)

    /// Called with each requested element.
    ///
    /// - Parameter element: The element.
    func onNext(_ element: Input)

    /// Called once at the end of a stream that failed.
    ///
    /// - Parameter error: The failure.
    func onError(_ error: any Error)

    /// Called once at the end of the stream.
    func onComplete()
}

/// The connection through which a subscriber requests elements: the subscription of Reactive Streams 1.0.4.
///
/// Thread safety: any thread, also from inside the subscriber.
public protocol DemandSubscription: Sendable {
    /// Requests more elements.
    ///
    /// - Parameter count: How many more; positive, or the subscriber gets ``DemandError/notPositive(_:)``.
    func request(_ count: Int)

    /// Cancels the subscription; calling it again has no effect.
    func cancel()
}

/// A subscriber and a publisher at once: the processor of Reactive Streams 1.0.4.
public protocol PublisherProcessor<Input, Output>: Publisher, Subscriber {}

/// What can go wrong between a publisher and its subscriber.
public enum DemandError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A subscriber requested zero or fewer elements (rule 3.9).
    case notPositive(Int)
    /// The publisher has its subscriber; it sends to one (rule 1.11).
    case subscribed
    /// A publisher sent more elements than were requested (rule 1.1).
    case exceeded(requested: Int)

    public var description: String {
        switch self {
        case .notPositive(let count): "a subscriber requested \(count) elements; rule 3.9 requires a positive number"
        case .subscribed: "the publisher has a subscriber and sends to one; put a broadcast in front of it"
        case .exceeded(let requested): "a publisher sent more than the \(requested) requested elements"
        }
    }
}
