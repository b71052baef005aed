/// A graph that is complete: every port is connected.
///
/// It can be run any number of times, and shares nothing between runs.
///
///     let total = Source(1...100).via(.map { $0 * 2 }).to(.fold(0, +)).run()
///     try await total.value()
///
/// ## How it runs
///
/// Elements move on demand only. A sink requests as many elements as it can take from the stage before it, which
/// requests them in turn, and a source sends what is requested: so a slow sink slows its sources, and wires and buffers
/// bound the number of elements in flight.
///
/// The stages between two asynchronous boundaries, see `Flow/async(capacity:)`, make an island, which one thread at a
/// time runs. A graph without boundaries runs on the thread that calls ``run(_:)``, before that returns, as far as it gets;
/// whatever gives it something later runs it further. With boundaries, each island has an `EventProcessor` of its own,
/// which ends with the graph.
///
/// Elements carry event times, and watermarks go between them; what several flows meet in passes the earliest.
///
/// A graph in which nothing can go on though it has not ended, because each stage of a cycle waits for the next, fails
/// with ``GraphError/deadlock(waiting:)``, which names the ports.
///
/// Thread safety: a graph is a value; `run` may be called from any thread.
public struct Graph<Materialized: Sendable>: Sendable {
    @usableFromInline let make: @Sendable (GraphBuilder) -> Materialized

    @usableFromInline
    init(unchecked make: @escaping @Sendable (GraphBuilder) -> Materialized) {
        self.make = make
    }

    /// Creates a graph of connected parts.
    ///
    /// - Parameter make: Puts the parts together, and returns what running the graph is to give: a sink's result, a
    ///   source's handle, several. Called once now, to check the graph, and once for each run.
    /// - Throws: ``GraphError`` when a port is not connected, or twice, or belongs to another graph; it names the port.
    public init(_ make: @escaping @Sendable (GraphBuilder) -> Materialized) throws(GraphError) {
        let builder = GraphBuilder()
        _ = make(builder)
        try builder.check()
        self.make = make
    }

    /// Runs the graph.
    ///
    /// - Parameter settings: How to run it.
    /// - Returns: The results of sinks and handles of sources that the graph was made to give.
    @discardableResult
    public func run(_ settings: GraphSettings = GraphSettings()) -> Materialized {
        let builder = GraphBuilder()
        let materialized = make(builder)
        builder.prepare(settings, keepsState: false).begin()
        return materialized
    }
}
