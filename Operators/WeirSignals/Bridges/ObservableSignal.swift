public import Observation

/// A signal for user interfaces: its value is observed by name.
///
///     struct PressureView: View {
///         let pressure: ObservableSignal<Double>
///         var body: some View { Text("\(pressure.value) bar") }
///     }
///
/// Changes with the signal, where that lives: one that lives on the main actor changes there.
@Observable
public final class ObservableSignal<Value> {
    /// The signal's value.
    public private(set) var value: Value

    @ObservationIgnored
    private var observation: SignalObservation?

    /// Starts following a signal, and keeps it alive.
    ///
    /// - Parameter signal: The signal.
    public init(_ signal: Signal<Value>) {
        value = signal()
        observation = signal.mirror { [weak self] in self?.value = $0 }
    }

    /// Starts following a signal, and keeps it alive; only real changes count.
    ///
    /// - Parameter signal: The signal.
    public init(_ signal: Signal<Value>) where Value: Equatable {
        value = signal()
        observation = signal.mirror { [weak self] in
            if self?.value != $0 { self?.value = $0 }
        }
    }

    deinit {
        observation?.cancel()
    }

    /// Stops following; the value stays.
    public func cancel() {
        observation?.cancel()
    }
}
