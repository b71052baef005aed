internal import Benchmark
public import Comparing

extension Suite {
    /// Registers each workload as a benchmark that reports the wall-clock time of a run and the cost per element.
    ///
    /// The cost leaves out what a run has to do before it starts, such as starting threads, which the wall-clock time
    /// includes. It is an integer, so what is measured in nanoseconds is reported in picoseconds.
    public func registerBenchmarks() {
        for workload in workloads {
            let (metric, scale) = workload.metric
            Benchmark(
                "\(name): \(workload.name)",
                configuration: Benchmark.Configuration(
                    metrics: [.wallClock, metric],
                    warmupIterations: 1,
                    maxDuration: .seconds(10),
                    maxIterations: 9,
                    setup: setUp,
                    teardown: tearDown
                )
            ) { benchmark in
                let cost = try workload.run()
                benchmark.measurement(metric, Int((cost * scale).rounded()))
            }
        }
    }
}

extension Workload {
    /// The metric of the cost, and what to multiply the cost with.
    fileprivate var metric: (metric: BenchmarkMetric, scale: Double) {
        switch unit {
        case .nanosecondsPerElement, .millionsPerSecond: (.custom("Picoseconds per element"), 1000)
        case .plain(let symbol): (.custom(symbol), 1)
        }
    }
}
