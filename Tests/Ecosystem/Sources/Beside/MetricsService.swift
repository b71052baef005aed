import Metrics
import ServiceLifecycle
import Weir

/// Hands snapshots to the backend that the program has chosen, again and again.
struct MetricsService: Service {
    let interval: Duration
    var clock: any Clock<Duration> = ContinuousClock()
    let snapshot: @Sendable () -> [Metric]

    func run() async throws {
        var bridge = MetricsBridge()
        while !Task.isShuttingDownGracefully {
            bridge.record(snapshot())
            try? await cancelWhenGracefulShutdown { try await clock.sleep(for: interval) }
        }
        bridge.record(snapshot())
    }
}

/// Gives a backend what has changed since the last snapshot.
struct MetricsBridge {
    // By the metric without its value.
    private var totals: [Metric: Double] = [:]

    mutating func record(_ metrics: [Metric]) {
        for metric in metrics {
            let dimensions = metric.labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            switch metric.kind {
            case .gauge:
                Gauge(label: metric.name, dimensions: dimensions).record(metric.value)
            case .counter:
                let series = Metric(metric.name, .counter, 0, labels: metric.labels)
                let growth = metric.value - totals[series, default: 0]
                totals[series] = metric.value
                Counter(label: metric.name, dimensions: dimensions).increment(by: Int64(growth))
            }
        }
    }
}
