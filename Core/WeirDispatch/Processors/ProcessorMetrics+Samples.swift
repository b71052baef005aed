public import WeirCore

extension ProcessorMetrics: MetricSnapshot {
    /// The numbers, each with its name; of the times of handlers the median and the 99th percentile.
    ///
    /// - Parameter labels: What all of them get, such as the name of the processor.
    /// - Returns: The numbers, always the same ones in the same order.
    public func samples(_ labels: [String: String]) -> [Metric] {
        var list = MetricList("weir_processor", labels)
        list.counter("handled", handled)
        list.counter("jobs", jobs)
        list.counter("discarded", discarded)
        let total = mailbox.total
        list.counter("dropped", cause: "newest", total.droppedNewest)
        list.counter("dropped", cause: "oldest", total.droppedOldest)
        list.counter("dropped", cause: "closed", total.droppedWhenClosed &+ total.droppedLate)
        list.counter("dropped", cause: "own", total.droppedOwn)
        list.gauge("pending", Double(total.pending))
        list.gauge("pending_peak", Double(total.highWaterMark))
        list.gauge("busy_seconds", busyFor.map { $0 / .seconds(1) } ?? 0)
        list.gauge("handler_median_seconds", handlerTimes.quantile(0.5).map { $0 / .seconds(1) } ?? 0)
        list.gauge("handler_p99_seconds", handlerTimes.quantile(0.99).map { $0 / .seconds(1) } ?? 0)
        return list.metrics
    }
}

extension PoolMetrics: MetricSnapshot {
    /// The numbers of the pool as a whole, each with its name.
    ///
    /// - Parameter labels: What all of them get, such as the name of the pool.
    /// - Returns: The numbers, always the same ones in the same order.
    public func samples(_ labels: [String: String]) -> [Metric] {
        var list = MetricList("weir_pool", labels)
        list.counter("handled", handled)
        list.counter("discarded", discarded)
        list.counter("dropped", dropped)
        list.counter("refused", refused)
        list.counter("grown", grown)
        list.counter("shrunk", shrunk)
        list.gauge("size", Double(size))
        list.gauge("pending", Double(processors.reduce(0) { $0 &+ $1.mailbox.total.pending }))
        return list.metrics
    }
}

extension EventBus {
    /// The numbers of all channels of the bus, each with its name.
    ///
    /// - Parameter labels: What all of them get; the name of the events' type is added as `event`.
    /// - Returns: The numbers, channel by channel.
    public func samples(_ labels: [String: String] = [:]) -> [Metric] {
        metrics.flatMap { type, metrics in
            metrics.samples(labels.merging(["event": String(describing: type)]) { $1 })
        }
    }
}
