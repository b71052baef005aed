import Benchmark
import SuiteBenchmarks
import TransportWorkloads

let benchmarks: @Sendable () -> Void = {
    TransportWorkloads.suite.registerBenchmarks()
}
