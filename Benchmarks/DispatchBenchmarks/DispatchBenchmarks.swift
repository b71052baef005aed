import Benchmark
import DispatchWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    DispatchWorkloads.suite.registerBenchmarks()
}
