public import WeirCore

/// How long to wait before something that has failed is tried again.
public struct Backoff: Sendable, Hashable {
    /// The wait after the first failure.
    public var first: Duration
    /// No wait is longer.
    public var longest: Duration
    /// The factor from one wait to the next.
    public var factor: Double
    /// How many failures in a row are tried again; the next one counts.
    public var limit: Int

    /// Creates a backoff.
    ///
    /// - Parameters:
    ///   - first: The wait after the first failure; positive.
    ///   - longest: No wait is longer; not less than `first`.
    ///   - factor: The factor from one wait to the next; at least 1.
    ///   - limit: How many failures in a row are tried again; not negative.
    public init(first: Duration, longest: Duration, factor: Double = 2, limit: Int = .max) {
        precondition(
            first > .zero && longest >= first,
            "a backoff needs 0 < first <= longest, not \(first) and \(longest)"
        )
        precondition(factor >= 1, "the factor of a backoff must be at least 1, not \(factor)")
        precondition(limit >= 0, "Backoff: limit must not be negative, but is \(limit)")
        self.first = first
        self.longest = longest
        self.factor = factor
        self.limit = limit
    }

    /// The wait after a number of consecutive failures.
    ///
    /// - Parameter failures: How many; from 1 on.
    /// - Returns: The wait.
    public func wait(afterFailures failures: Int) -> Duration {
        var wait = first
        for _ in 1..<max(1, failures) {
            guard wait < longest else { break }
            // Compared first: the product may be more than a duration can be.
            wait = longest / wait <= factor ? longest : wait * factor
        }
        return wait
    }
}

extension GraphSink where Result == Void {
    /// Writes to a boundary that another island reads.
    @usableFromInline
    static func writing(to boundary: GraphBoundary<Element>) -> GraphSink {
        GraphSink(unchecked: { builder in
            let stage = builder.addStage("boundary", inlets: ["in"], isExternal: true) { context in
                let inlet = context.inlet(0, of: Element.self)
                let batch = context.batch
                boundary.setWriter(context.waker())
                return { boundary.write(inlet, batch: batch) }
            }
            return (Inlet(builder, stage, 0), ())
        })
    }
}

extension Source where Handle == Void {
    /// A source that is restarted after a wait when it fails.
    ///
    /// Failures in a row make the wait longer; an element in between makes it short again. Elements that a failed
    /// source has not sent are lost. Watermarks do not go back: those not after the last one of the sources before are
    /// dropped. Ends when the source ends or is interrupted.
    ///
    /// - Parameters:
    ///   - backoff: How long to wait, by the run's clock, and how often.
    ///   - failures: Called with the errors after which it is restarted.
    ///   - make: Makes the source; called once for each try.
    /// - Returns: The source.
    public static func restarting<Other>(
        _ backoff: Backoff,
        failures: SideOutput<any Error> = SideOutput(),
        _ make: @escaping @Sendable () -> Source<Element, Other>
    ) -> Source {
        Source(unchecked: { builder in
            let outlet: Outlet<Element> = builder.addSource("restarting", isExternal: true) { context, outlet in
                let tries = SourceTries(context, backoff, failures) { boundary, settings in
                    let builder = GraphBuilder()
                    _ = make().to(.writing(to: boundary)).make(builder)
                    return builder.prepare(settings, keepsState: true)
                }
                return { tries.step(outlet) }
            }
            return (outlet, ())
        })
    }
}

/// The sources that a stage makes one after the other; confined to the stage.
private final class SourceTries<Element: Sendable> {
    /// A source that runs, or will.
    private struct Try {
        let boundary: GraphBoundary<Element>
        let graph: PreparedGraph
        var hasBegun = false
    }

    private let settings: GraphSettings
    private let waker: Waker
    private let backoff: Backoff
    private let failures: SideOutput<any Error>
    private let make: (GraphBoundary<Element>, GraphSettings) -> PreparedGraph

    private var current: Try?
    private var failureCount = 0
    private var watermark = Timestamp.distantPast
    private var restart: Timestamp?
    private var alarm: Timestamp?

    init(
        _ context: StageContext,
        _ backoff: Backoff,
        _ failures: SideOutput<any Error>,
        make: @escaping (GraphBoundary<Element>, GraphSettings) -> PreparedGraph
    ) {
        settings = context.settings
        waker = context.waker()
        self.backoff = backoff
        self.failures = failures
        self.make = make
        context.state.addField { state throws(StateError) in try self.exchangeOwnState(&state) }
        context.state.addPart { state throws(StateError) in try self.exchangeCurrent(&state) }
    }

    func step(_ outlet: Wire<Element>) {
        if outlet.isClosed {
            current?.boundary.cancel()
            current = nil
            return
        }
        let now = settings.clock.now()
        if let due = restart, due > now {
            // Where nothing wakes the stage, because of a restart of the program.
            if alarm != due { waker.wake(at: due) }
            alarm = due
            return
        }
        restart = nil
        let boundary = begin()
        let demand = outlet.demand
        let end = boundary.readSome(outlet)
        if outlet.demand < demand { failureCount = 0 }
        switch end {
        case nil:
            break
        case .finished?, .interrupted?:
            outlet.finish(end ?? .finished)
        case .failed(let error)?:
            current = nil
            watermark = boundary.reading.value.last
            failureCount += 1
            guard failureCount <= backoff.limit else { return outlet.finish(.failed(error)) }
            failures.send(error, at: now)
            let due = now.shifted(byNanoseconds: backoff.wait(afterFailures: failureCount).wholeNanoseconds)
            restart = due
            alarm = due
            waker.wake(at: due)
        }
    }

    /// Begins the next try, unless one has begun.
    private func begin() -> GraphBoundary<Element> {
        let next = current ?? makeTry()
        guard !next.hasBegun else { return next.boundary }
        current = Try(boundary: next.boundary, graph: next.graph, hasBegun: true)
        next.boundary.setReader(waker)
        next.graph.begin()
        return next.boundary
    }

    private func makeTry() -> Try {
        var settings = settings
        settings.execution = .inline
        let boundary = GraphBoundary<Element>(capacity: settings.batch)
        boundary.reading.value.last = watermark
        return Try(boundary: boundary, graph: make(boundary, settings))
    }

    // MARK: Checkpoints

    private func exchangeOwnState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&failureCount)
        try state.exchange(&watermark)
        try state.exchange(&restart)
        try state.exchange(failures)
    }

    /// Saves the source that runs, a graph of its own; where none does, one that has not begun, so that the sections are the
    /// same.
    private func exchangeCurrent(_ state: inout StateExchange) throws(StateError) {
        let present = current ?? makeTry()
        // What is made for a description is the one that is filled then.
        if !state.isSaving { current = present }
        try state.scoped("source") { state throws(StateError) in
            try state.begin("waiting")
            try present.graph.exchangeState(&state) { state throws(StateError) in
                try present.boundary.exchangeState(&state)
            }
        }
    }
}
