import Benchmark
import FormatWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    FormatWorkloads.suite.registerBenchmarks()
}
