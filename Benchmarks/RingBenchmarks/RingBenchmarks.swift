import Benchmark
import RingWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    RingWorkloads.suite.registerBenchmarks()
}
