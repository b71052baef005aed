import Benchmark
import CommandWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    CommandWorkloads.suite.registerBenchmarks()
    Checkpoints.suite.registerBenchmarks()
}
