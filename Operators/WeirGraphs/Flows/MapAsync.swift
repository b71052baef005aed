internal import WeirCore

extension Flow where Handle == Void {
    /// Turns each element into another value with an asynchronous function.
    ///
    ///     Source(stations).via(.mapAsync(limit: 4) { try await download($0) }).to(.collect()).run()
    ///
    /// Each call is a task of its own. Requests at most `limit` elements ahead of what was sent, so no more are at
    /// work, or done and waiting for demand. A value has its element's time; a watermark comes after all elements that
    /// came before it, and so does the end. After a restart from a checkpoint, `transform` is called again for the elements that
    /// were at work. When the flow is cancelled or fails, so are the tasks.
    ///
    /// - Parameters:
    ///   - limit: How many calls run at a time; positive.
    ///   - ordered: Whether the values keep the order of the elements.
    ///   - supervision: What to do when `transform` throws. An error that ends the flow comes in its element's place if
    ///     `ordered`; `CancellationError` interrupts the flow.
    ///   - transform: Makes the value.
    /// - Returns: The flow.
    public static func mapAsync(
        limit: Int = 1,
        ordered: Bool = true,
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Input) async throws -> Output
    ) -> Flow {
        precondition(limit > 0, "mapAsync: limit must be positive, but is \(limit)")
        return Flow(unchecked: { builder in
            let ports: FlowPorts<Input, Output> = builder.addLinear("mapAsync", isExternal: true) {
                (context, inlet: Wire<Input>, outlet: Wire<Output>) in
                let line = AsyncLine<Input, Output>(
                    limit: limit,
                    isOrdered: ordered,
                    supervision: supervision,
                    results: AsyncResults(context.waker()),
                    transform: transform
                )
                context.state.addField { state throws(StateError) in try line.exchangeState(&state) }
                context.keepCount(of: supervision.leftOut)
                return { line.step(inlet, outlet) }
            }
            return (ports, ())
        })
    }
}

extension Source {
    /// Turns each element into another value with an asynchronous function; see
    /// ``Flow/mapAsync(limit:ordered:supervision:_:)``.
    public func mapAsync<Next>(
        limit: Int = 1,
        ordered: Bool = true,
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Element) async throws -> Next
    ) -> Source<Next, Handle> {
        via(.mapAsync(limit: limit, ordered: ordered, supervision: supervision, transform))
    }
}

extension GraphSink where Result == GraphResult<Void> {
    /// Calls an asynchronous function with each element.
    ///
    ///     source.to(.forEachAsync(limit: 8) { try await database.insert($0) }).run()
    ///
    /// Requests at most `limit` elements ahead of those that are done.
    ///
    /// - Parameters:
    ///   - limit: How many calls run at a time; positive. With one, they keep the order of the elements.
    ///   - body: Takes an element; an error that it throws cancels the source, and is the result.
    /// - Returns: The sink; its result comes when all calls have returned.
    public static func forEachAsync(
        limit: Int = 1,
        _ body: @escaping @Sendable (Element) async throws -> Void
    ) -> GraphSink {
        Flow<Element, Void, Void>.mapAsync(limit: limit, ordered: false, body).to(.ignoring())
    }
}
