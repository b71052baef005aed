internal import WeirCore
internal import WeirDispatch

/// The islands of a graph: before they begin, while they run, and when they have ended.
struct PreparedGraph: Sendable {
    let run: GraphRun
    let islands: [Island]
    let processors: [EventProcessor]

    /// Starts the islands.
    func begin() {
        run.start(islands, processors)
    }

    /// Ends the threads of islands that never began.
    func giveUp() {
        for processor in processors { processor.stop(.now) }
    }

    /// Saves what the stages keep, each under its name, or gives it back; which island they are in does not matter.
    ///
    /// - Parameters:
    ///   - exchange: To save, the graph stands still meanwhile; what it is given back to has not begun.
    ///   - before: Exchanges what is beside the graph, at the same moment.
    /// - Throws: `StateError`.
    func exchangeState(
        _ exchange: inout StateExchange,
        with before: (inout StateExchange) throws(StateError) -> Void = { _ in }
    ) throws(StateError) {
        func exchangeAll(_ exchange: inout StateExchange) throws(StateError) {
            try before(&exchange)
            for island in islands { try island.exchangeState(&exchange) }
        }
        guard exchange.isSaving else { return try exchangeAll(&exchange) }
        try run.whileStanding(islands) { () throws(StateError) in try exchangeAll(&exchange) }
    }
}
