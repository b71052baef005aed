import Benchmark
import PipelineWorkloads
import SuiteBenchmarks

let benchmarks: @Sendable () -> Void = {
    PipelineWorkloads.suite.registerBenchmarks()
}
