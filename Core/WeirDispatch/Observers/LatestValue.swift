public import Observation
public import WeirCore

/// The latest event of a type, for user interfaces: changes on the main actor, and is observed by name.
///
///     struct TemperatureView: View {
///         let temperature: LatestValue<Temperature>
///         var body: some View { Text("\(temperature.event?.celsius ?? 0) °C") }
///     }
///
/// Follows the newest event only: what arrives faster than the main actor can look is skipped.
@MainActor
@Observable
public final class LatestValue<E: Sendable> {
    /// The latest event; `nil` until there is one.
    public private(set) var event: E?

    /// How the latest event was dispatched.
    public private(set) var context: EventContext?

    @ObservationIgnored
    private var subscription: Subscription?

    /// Starts following a channel.
    ///
    /// - Parameter channel: The channel; one that replays its latest event gives the value a start.
    public convenience init(of channel: EventChannel<E>) {
        self.init { value, show in
            channel.listen(on: .mainActor(capacity: 2), filter: .latestOnly, owner: value, show)
        }
    }

    /// Starts following what `start` listens to.
    ///
    /// - Parameter start: Listens for the value, and gives the events to the closure.
    init(_ start: (LatestValue, @escaping @MainActor @Sendable (E, EventContext) -> Void) -> Subscription) {
        subscription = start(self) { [weak self] event, context in
            self?.event = event
            self?.context = context
        }
    }

    /// Stops following; the value stays what it is.
    public func cancel() {
        subscription?.cancel()
    }
}

extension EventBus {
    /// The latest event of a type, for user interfaces.
    ///
    /// - Parameter type: The type of the events.
    /// - Returns: A value that changes on the main actor.
    @MainActor
    public func latest<E: Sendable>(_ type: E.Type) -> LatestValue<E> {
        LatestValue(of: channel(of: type))
    }
}
