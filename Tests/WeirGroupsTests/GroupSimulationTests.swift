import Foundation
import Synchronization
import TestThreads
import Testing

/// What a group finds is found exactly once, whatever goes wrong.
struct GroupSimulationTests {
    /// The seeds: 10,000, as many as `WEIR_GROUP_SEEDS` says, or the one that `WEIR_GROUP_SEED` says.
    private static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["WEIR_GROUP_SEED"].flatMap({ UInt64($0) }) { return seed..<(seed + 1) }
        return 0..<(environment["WEIR_GROUP_SEEDS"].flatMap { UInt64($0) } ?? 10_000)
    }

    /// What was found by all threads.
    private struct Findings {
        var failures: [(seed: UInt64, what: String)] = []
        var steps = 0
        var commits = 0
        var refused = 0
        var late = 0
        var drainTime: Int64 = 0
    }

    private static func run(_ seeds: Range<UInt64>, defect: BrokerDefect? = nil, failures limit: Int) -> Findings {
        let threadCount = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        let findings = Mutex(Findings())
        let notes = seeds.count == 1
        TestThreads.run(
            (0..<threadCount).map { thread in
                {
                    for seed in stride(from: seeds.lowerBound + thread, to: seeds.upperBound, by: Int(threadCount)) {
                        let simulation = GroupSimulation(seed: seed, defect: defect, onNote: notes ? { print($0) } : nil)
                        let failure = simulation.run()
                        let isEnough = findings.withLock {
                            if let failure { $0.failures.append((seed, failure)) }
                            $0.steps += simulation.stepCount
                            $0.commits += simulation.counts.commits
                            $0.refused += simulation.counts.refused
                            $0.late += simulation.counts.late
                            $0.drainTime = max($0.drainTime, simulation.drainTime)
                            return $0.failures.count >= limit
                        }
                        if isEnough { return }
                    }
                }
            }
        )
        return findings.withLock { $0 }
    }

    @Test
    func outputsAreExactlyOnce() {
        let start = ContinuousClock.now
        let findings = Self.run(Self.seeds, failures: 10)
        print(
            "weir groups: seeds \(Self.seeds), \(findings.steps) steps, \(findings.commits) commits, "
                + "\(findings.late) of them late, \(findings.refused) refused, done after \(findings.drainTime / 1_000_000) ms "
                + "at most, in \(ContinuousClock.now - start)"
        )
        for failure in findings.failures.sorted(by: { $0.seed < $1.seed }) {
            Issue.record("WEIR_GROUP_SEED=\(failure.seed): \(failure.what)")
        }
        #expect(findings.commits > 0)
    }

    /// A broker that does not keep what it promises is noticed, so that the test above says something.
    @Test(arguments: BrokerDefect.allCases)
    func aBrokenBrokerIsNoticed(defect: BrokerDefect) {
        let findings = Self.run(0..<2_000, defect: defect, failures: 1)
        print("weir groups: \(defect) noticed by seed \(findings.failures.map { "\($0.seed): \($0.what)" })")
        #expect(!findings.failures.isEmpty)
    }
}
