import Benchmark
import PatternWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    PatternWorkloads.suite.registerBenchmarks()
}
