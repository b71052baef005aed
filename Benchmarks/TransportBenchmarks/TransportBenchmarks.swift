import Benchmark
import SuiteBenchmarks
import TransportWorkloads

let benchmarks: @Sendable () -> Void = {
    TransportWorkloads.suite.registerBenchmarks()
    if NATSWorkloads.isPossible { NATSWorkloads.suite.registerBenchmarks() }
}
