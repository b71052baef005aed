public import WeirCore

/// A graph that runs, and can be saved.
///
///     let graph = Source(1...1_000_000).scan(into: 0) { $0 += $1 }.to(.forEach { total in print(total) })
///     let running = graph.start()
///     let checkpoint = try running.checkpoint()
///
///     // In another process, with the same graph:
///     let resumed = try graph.start(from: checkpoint)
///     try await resumed.value.value()
///
/// Thread safety: any thread.
public struct RunningGraph<Materialized: Sendable>: Sendable {
    /// The results of sinks and handles of sources that the graph was made to give.
    public let value: Materialized

    /// What fitted of the checkpoint that the graph was started from, and what did not; `nil` without one.
    public let restored: RestoreReport?

    private let parts: PreparedGraph

    fileprivate init(_ value: Materialized, _ parts: PreparedGraph, restored: RestoreReport?) {
        self.value = value
        self.parts = parts
        self.restored = restored
    }

    /// Saves the state of the graph: what its stages keep, and the elements on their way.
    ///
    /// The graph stands still between two steps of its stages meanwhile; what is offered to its sources waits. Nothing is
    /// lost, and nothing comes twice: an element that has left the graph is not part of the state, and one that has come in
    /// is. A graph that has ended can be saved too; then its results come again.
    ///
    /// How far a source has come is known by what it has sent: one that goes through a sequence goes on behind that, those
    /// that are driven from outside get what follows from there. Tasks of `mapAsync` begin anew.
    ///
    /// - Returns: The state, to be given to ``Graph/start(_:from:droppingMismatches:)`` of the same graph.
    /// - Throws: `StateError`: when a stage, an operator or a type cannot be saved, or inside a stage of the graph.
    /// - Complexity: O(*n*) for *n* bytes of state.
    public func checkpoint() throws(StateError) -> Checkpoint {
        try Checkpoint { state throws(StateError) in try parts.exchangeState(&state) }
    }
}

extension Graph {
    /// Runs the graph, so that it can be saved.
    ///
    /// - Parameter settings: How to run it.
    /// - Returns: What runs.
    public func start(_ settings: GraphSettings = GraphSettings()) -> RunningGraph<Materialized> {
        let builder = GraphBuilder()
        let materialized = make(builder)
        let parts = builder.prepare(settings, keepsState: true)
        parts.begin()
        return RunningGraph(materialized, parts, restored: nil)
    }

    /// Runs the graph from where it was when it was saved.
    ///
    /// - Parameters:
    ///   - settings: How to run it.
    ///   - checkpoint: What ``RunningGraph/checkpoint()`` of the same graph returned; with the same settings, or others.
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing runs.
    /// - Returns: What runs.
    /// - Throws: `StateError`.
    public func start(
        _ settings: GraphSettings = GraphSettings(),
        from checkpoint: Checkpoint,
        droppingMismatches drops: Bool = false
    ) throws(StateError) -> RunningGraph<Materialized> {
        let builder = GraphBuilder()
        let materialized = make(builder)
        let parts = builder.prepare(settings, keepsState: true)
        let report: RestoreReport
        do throws(StateError) {
            report = try checkpoint.restore(droppingMismatches: drops) { state throws(StateError) in
                try parts.exchangeState(&state)
            }
        } catch {
            parts.giveUp()
            throw error
        }
        parts.begin()
        return RunningGraph(materialized, parts, restored: report)
    }
}
