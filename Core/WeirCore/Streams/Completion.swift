/// How a stream ended.
///
/// What an operator still holds when the end comes depends on how it comes:
///
/// | operator | `finished` | `interrupted`, `failed` |
/// |---|---|---|
/// | `buffer`, `collect`, `sorted`, `reduce`, `last`, `takeLast` | emits what it holds | gives it up |
/// | `debounce`, `throttle`, `audit`, `conflate`, `sample` | emit what is held back | give it up |
/// | `ordered`, `merge` | emit all that waits, in order | give it up |
/// | windows, joins in windows | close and emit what is open | give it up |
/// | `repeated`, monotone runs | close what is open | give it up |
/// | `unless` | emits what waits | offers it on `dropped` |
/// | `then`, `sequence`, `without`, `absent`, `all` | settle what waits for the watermark | give it up |
/// | patterns, pattern sets | settle what waits for the end | give it up, and count it |
/// | `concat`, `append` | continues with the other stream, or the elements | pass it on |
/// | `flatMap` to streams | waits for the inner streams | ends at once, detaches those |
/// | `delay(arrivalBy:on:)` | lets what waits arrive first | gives it up |
/// | `union`, `zip`, `any`, other streams of several inputs | wait for the other inputs | end at once, detach those |
/// | `failIfEmpty` | fails without an element | pass it on |
/// | `LastValueSubject` | emits its element | forgets it |
///
/// All operators pass an interruption on as one. What handles failures, such as `catch`, `retry` and
/// `replaceError(with:)`, lets it through.
@frozen
public enum Completion: Sendable {
    /// The stream said everything it had to say.
    case finished

    /// The stream broke off.
    ///
    /// The error has no type of its own: each operator between a source and its sink can add failures, so that a type would
    /// be that of all of them, or stand in the type of each stream. `catch(_:)` and `replaceError(_:)` pick one by its
    /// type; what throws on the spot, such as `checkpoint()`, says which errors it throws.
    case failed(any Error)

    /// The stream was cancelled from above: it has not said everything, and nothing went wrong.
    ///
    /// It comes from a source that was cancelled, such as a task, an asynchronous sequence that throws
    /// `CancellationError`, or a graph's kill switch. A sink that cancels its own subscription gets no completion at
    /// all.
    case interrupted
}

extension Completion {
    /// Whether the stream said everything it had to say.
    @inlinable
    public var isFinished: Bool {
        if case .finished = self { true } else { false }
    }

    /// What broke the stream off; `nil` if nothing did.
    @inlinable
    public var failure: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// The completion of work that has thrown: `CancellationError` interrupts, all others fail.
    ///
    /// - Parameter error: What the work threw.
    @inlinable
    public init(throwing error: any Error) {
        self = error is CancellationError ? .interrupted : .failed(error)
    }

    /// Throws what keeps work from having a result: the failure, or `CancellationError` for an interruption.
    ///
    /// - Throws: The error of a failure; `CancellationError`.
    @inlinable
    public func get() throws {
        switch self {
        case .finished: return
        case .failed(let error): throw error
        case .interrupted: throw CancellationError()
        }
    }
}
