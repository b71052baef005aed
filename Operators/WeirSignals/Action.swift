public import WeirCore

/// An asynchronous operation that runs once at a time, with a signal of whether it may be started.
///
///     let login = Action(enabledIf: hasCredentials) { (credentials: Credentials) async throws(LoginError) in
///         try await server.login(credentials)
///     }
///     login.isEnabled.bind(to: loginButton, \.isEnabled)
///     login.errors.subscribe { show($0) }
///     try await login.run(credentials)
///
/// An action lives where its signals live: on an actor. While the operation runs, that actor is free for other work,
/// and the action is disabled; a second run then is refused, not queued.
public final class Action<Input: Sendable, Output: Sendable, Failure: Error> {
    /// Whether the operation is running.
    public let isExecuting: Signal<Bool>

    /// Whether the action can be run: the condition holds, and it is not running.
    public let isEnabled: Signal<Bool>

    /// The results of the operation, as a stream that any thread may attach to; finishes with the action.
    public let values: SignalChanges<Output>

    /// The errors of the operation, as a stream that any thread may attach to; finishes with the action.
    public let errors: SignalChanges<Failure>

    private let running: MutableSignal<Bool>
    private let clock: EventClock
    private let operation: @Sendable (Input) async throws(Failure) -> Output

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - condition: Whether it may be run; without one, whenever it is not running.
    ///   - clock: The clock that gives values and errors their times.
    ///   - operation: What to do with each input.
    public init(
        enabledIf condition: Signal<Bool>? = nil,
        clock: EventClock = EventClock(),
        _ operation: @escaping @Sendable (Input) async throws(Failure) -> Output
    ) {
        let running = MutableSignal(false)
        self.running = running
        isExecuting = running
        isEnabled = Signal { !running() && (condition?() ?? true) }
        values = SignalChanges()
        errors = SignalChanges()
        self.clock = clock
        self.operation = operation
    }

    deinit {
        values.multicast.finish()
        errors.multicast.finish()
    }

    /// Runs the operation, if the action is enabled.
    ///
    /// - Parameters:
    ///   - input: What to run it with.
    ///   - isolation: The actor that the action lives on; the one that calls.
    /// - Returns: The result of the operation.
    /// - Throws: ``ActionError/disabled``, or the operation's error as ``ActionError/failed(_:)``.
    @discardableResult
    public func run(
        _ input: Input,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ActionError<Failure>) -> Output {
        guard isEnabled() else { throw .disabled }
        running.set(true)
        let result: Result<Output, Failure>
        do throws(Failure) {
            result = .success(try await operation(input))
        } catch {
            result = .failure(error)
        }
        running.set(false)
        switch result {
        case .success(let output):
            values.multicast.send(output, at: clock.now())
            return output
        case .failure(let error):
            errors.multicast.send(error, at: clock.now())
            throw .failed(error)
        }
    }
}

/// Why an action has no value.
public enum ActionError<Failure: Error>: Error {
    /// It is running already, or its condition does not hold.
    case disabled
    /// The operation threw this.
    case failed(Failure)
}

extension ActionError: Equatable where Failure: Equatable {}
