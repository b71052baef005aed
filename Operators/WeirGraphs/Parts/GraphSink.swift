/// A part of a graph with one inlet: where elements go.
///
/// Not the `Sink` of a stream, which takes every element: a graph's sink gets the elements that it requests. A sink is
/// a description; a run returns its result, mostly a ``GraphResult`` that is set when the sink has ended.
public struct GraphSink<Element: Sendable, Result: Sendable>: Sendable {
    @usableFromInline let make: @Sendable (GraphBuilder) -> (inlet: Inlet<Element>, result: Result)

    @usableFromInline
    init(unchecked make: @escaping @Sendable (GraphBuilder) -> (inlet: Inlet<Element>, result: Result)) {
        self.make = make
    }

    /// Creates a sink of connected parts.
    ///
    /// - Parameter make: Puts the parts together, and returns the one inlet that is not connected, and the result.
    /// - Throws: ``GraphError`` when another port is not connected, or one twice; it names the port.
    public init(
        _ make: @escaping @Sendable (GraphBuilder) -> (inlet: Inlet<Element>, result: Result)
    ) throws(GraphError) {
        let builder = GraphBuilder()
        let inlet = make(builder).inlet
        try builder.check(exceptInlet: inlet.place)
        self.make = make
    }
}
