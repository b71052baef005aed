internal import WeirCore
internal import WeirDispatch

/// The result of a part of a graph.
///
/// Thread safety: any thread.
public final class GraphResult<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var result: Result<Value, any Error>?
        // In the order of their coming.
        var waiting: [(id: UInt64, tell: @Sendable (Result<Value, any Error>) -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Only the first one counts.
    @usableFromInline
    func complete(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return [] as [@Sendable (Result<Value, any Error>) -> Void] }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting.map(\.tell)
        }
        for tell in waiting { tell(result) }
    }

    /// Calls `body` when the result is there, or now if it is.
    ///
    /// - Parameter body: Called once, on the thread that runs the part.
    public func whenComplete(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        add(body)
    }

    @discardableResult
    private func add(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> UInt64 {
        let (result, id) = state.withLock { state in
            state.nextID += 1
            if state.result == nil { state.waiting.append((state.nextID, body)) }
            return (state.result, state.nextID)
        }
        if let result { body(result) }
        return id
    }

    /// The result, if it is there.
    public var current: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Suspends until the result is there.
    ///
    /// Cancelling the task ends the wait, not the graph.
    ///
    /// - Returns: The value.
    /// - Throws: The error of the graph; `CancellationError` when the task is cancelled before the result is there.
    public func value() async throws -> Value {
        let waiter = Waiter<Value>()
        let id = add { waiter.resume(with: $0) }
        defer { state.withLock { $0.waiting.removeAll { $0.id == id } } }
        return try await waiter.wait()
    }

    /// Waits until the result is there; not in asynchronous code, nor on a thread that the graph needs.
    ///
    /// - Returns: The value.
    /// - Throws: The error of the graph.
    public func wait() throws -> Value {
        let parker = Parker()
        whenComplete { _ in parker.unpark() }
        while true {
            if let result = current { return try result.get() }
            parker.park()
        }
    }
}
