import Benchmark
import QueryWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    QueryWorkloads.suite.registerBenchmarks()
}
