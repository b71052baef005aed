import Benchmark
import ReactiveWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    ReactiveWorkloads.suite.registerBenchmarks()
}
