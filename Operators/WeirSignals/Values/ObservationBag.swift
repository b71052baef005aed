/// Observations of signals that end together: with the bag.
///
///     final class Dial {
///         var angle = 0.0
///         let bag = ObservationBag()
///
///         init(showing speed: Signal<Double>) {
///             speed.map { $0 * 3 }.bind(to: self, \.angle).store(in: bag)
///         }
///     }
///
/// When the last reference to the bag goes, it cancels what it holds. It stays where its signals are, as they do.
/// `SubscriptionBag` is the same for what is attached to streams, and for any thread.
public final class ObservationBag {
    private var observations: [SignalObservation] = []
    // The number from which cancelled ones are searched for.
    private var sweepCount = 16

    /// Creates an empty bag.
    public init() {}

    deinit {
        cancel()
    }

    /// How many observations the bag holds; of those that were cancelled by themselves, some may be among them.
    public var count: Int { observations.count }

    /// Adds an observation.
    ///
    /// - Parameter observation: Cancelled with the bag.
    /// - Complexity: O(1), amortised; cancelled ones are forgotten.
    public func insert(_ observation: SignalObservation) {
        if observations.count >= sweepCount {
            observations.removeAll { $0.isCancelled }
            sweepCount = max(16, 2 * observations.count)
        }
        observations.append(observation)
    }

    /// Cancels all that the bag holds, in the order in which they came, and empties it; it can be used on.
    public func cancel() {
        let ended = observations
        observations = []
        for observation in ended { observation.cancel() }
    }
}
