import Benchmark
import OperatorWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    OperatorWorkloads.suite.registerBenchmarks()
}
