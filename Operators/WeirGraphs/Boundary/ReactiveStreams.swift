/// Something that sends elements to whoever subscribes, as many as were asked for: the publisher of Reactive Streams 1.0.4.
///
/// These protocols are for meeting other libraries at the edge of a graph; inside a graph demand needs none of this.
public protocol Publisher<Output>: Sendable {
    /// What is sent.
    associatedtype Output: Sendable

    /// Begins to send to a subscriber, first of all its subscription.
    ///
    /// - Parameter subscriber: Who is to get the elements.
    func subscribe(_ subscriber: any Subscriber<Output>)
}

/// Something that gets elements from a publisher: the subscriber of Reactive Streams 1.0.4.
///
/// The four are called one at a time, in the order `onSubscribe onNext* (onError | onComplete)?`.
public protocol Subscriber<Input>: Sendable {
    /// What it takes.
    associatedtype Input: Sendable

    /// Takes the subscription, with which elements are asked for.
    ///
    /// - Parameter subscription: The subscription.
    func onSubscribe(_ subscription: any DemandSubscription)

    /// Takes an element that was asked for.
    ///
    /// - Parameter element: The element.
    func onNext(_ element: Input)

    /// Takes note that nothing follows because of a failure.
    ///
    /// - Parameter error: The failure.
    func onError(_ error: any Error)

    /// Takes note that nothing follows.
    func onComplete()
}

/// What a subscriber asks a publisher with: the subscription of Reactive Streams 1.0.4.
///
/// Thread safety: any thread, also from inside the subscriber.
public protocol DemandSubscription: Sendable {
    /// Asks for more elements.
    ///
    /// - Parameter count: How many more; positive, or the subscriber gets ``DemandError/notPositive(_:)``.
    func request(_ count: Int)

    /// Asks for no more; calling it again does nothing.
    func cancel()
}

/// A subscriber and a publisher at once: the processor of Reactive Streams 1.0.4.
public protocol PublisherProcessor<Input, Output>: Publisher, Subscriber {}

/// What can go wrong between a publisher and its subscriber.
public enum DemandError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A subscriber asked for no elements, or fewer (rule 3.9).
    case notPositive(Int)
    /// The publisher has its subscriber; it sends to one (rule 1.11).
    case subscribed
    /// A publisher sent more than it was asked for (rule 1.1).
    case exceeded(requested: Int)

    public var description: String {
        switch self {
        case .notPositive(let count): "a subscriber asked for \(count) elements; rule 3.9 wants a positive number"
        case .subscribed: "the publisher has a subscriber and sends to one; put a broadcast in front of it"
        case .exceeded(let requested): "a publisher sent more than the \(requested) elements that it was asked for"
        }
    }
}
