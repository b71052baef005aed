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
                var current: GraphBoundary<Element>?
                var failureCount = 0
                var watermark = Timestamp.distantPast
                var restart: Timestamp?
                var inner = context.settings
                inner.execution = .inline
                return {
                    if outlet.isClosed {
                        current?.cancel()
                        current = nil
                        return
                    }
                    let now = context.settings.clock.now()
                    if let due = restart, due > now { return }
                    let boundary: GraphBoundary<Element>
                    if let current {
                        boundary = current
                    } else {
                        restart = nil
                        boundary = GraphBoundary(capacity: inner.batch)
                        boundary.reading.value.last = watermark
                        current = boundary
                        boundary.setReader(context.waker())
                        make().to(.writing(to: boundary)).run(inner)
                    }
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
                        let wait = backoff.wait(afterFailures: failureCount)
                        let due = now.shifted(byNanoseconds: wait.wholeNanoseconds)
                        restart = due
                        context.wake(at: due)
                    }
                }
            }
            return (outlet, ())
        })
    }
}
