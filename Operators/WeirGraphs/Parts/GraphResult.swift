internal import WeirCore

/// What a part of a graph comes to in the end.
///
/// Thread safety: any thread.
public final class GraphResult<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        var waiting: [@Sendable (Result<Value, any Error>) -> Void] = []
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Only the first one counts.
    @usableFromInline
    func complete(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> [@Sendable (Result<Value, any Error>) -> Void] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for tell in waiting { tell(result) }
    }

    /// Calls `body` when the result is there, or now if it is.
    ///
    /// - Parameter body: Called once, on the thread that runs the part.
    public func whenComplete(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            if state.result == nil { state.waiting.append(body) }
            return state.result
        }
        if let result { body(result) }
    }

    /// The result, if it is there.
    public var current: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Suspends until the result is there.
    ///
    /// - Returns: The value.
    /// - Throws: What the graph failed with.
    public func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            whenComplete { continuation.resume(with: $0) }
        }
    }

    /// Waits until the result is there; not in asynchronous code, nor on a thread that the graph needs.
    ///
    /// - Returns: The value.
    /// - Throws: What the graph failed with.
    public func wait() throws -> Value {
        let parker = Parker()
        whenComplete { _ in parker.unpark() }
        while true {
            if let result = current { return try result.get() }
            parker.park()
        }
    }
}
