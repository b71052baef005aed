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

    /// What was found by a thread; read by the test after the thread has ended.
    private final class Findings: @unchecked Sendable {
        var failures: [(seed: UInt64, what: String)] = []
        var steps = 0
        var commits = 0
        var refused = 0
        var late = 0
        var drainTime: Int64 = 0
        var handovers = 0
        var longestStand: Int64 = 0

        func add(_ simulation: GroupSimulation) {
            handovers += simulation.handovers.count
            longestStand = max(longestStand, simulation.handovers.longestStand)
            steps += simulation.stepCount
            commits += simulation.counts.commits
            refused += simulation.counts.refused
            late += simulation.counts.late
            drainTime = max(drainTime, simulation.drainTime)
        }

        func add(_ other: Findings) {
            handovers += other.handovers
            longestStand = max(longestStand, other.longestStand)
            failures += other.failures
            steps += other.steps
            commits += other.commits
            refused += other.refused
            late += other.late
            drainTime = max(drainTime, other.drainTime)
        }
    }

    private static func run(
        _ seeds: Range<UInt64>,
        merges: Bool = false,
        defect: BrokerDefect? = nil,
        failures limit: Int
    ) -> Findings {
        let findings = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in Findings() }
        let failureCount = Atomic(0)
        let next = Atomic(seeds.lowerBound)
        let notes = seeds.count == 1
        @Sendable func work(_ findings: Findings) {
            while failureCount.load(ordering: .relaxed) < limit {
                let seed = next.add(1, ordering: .relaxed).oldValue
                guard seed < seeds.upperBound else { return }
                let simulation = GroupSimulation(
                    seed: seed,
                    merges: merges,
                    defect: defect,
                    onNote: notes ? { print($0) } : nil
                )
                if let failure = simulation.run() {
                    findings.failures.append((seed, failure))
                    failureCount.add(1, ordering: .relaxed)
                }
                findings.add(simulation)
            }
        }
        TestThreads.run(findings.map { findings in { work(findings) } })
        let all = Findings()
        for findings in findings { all.add(findings) }
        all.failures.sort { $0.seed < $1.seed }
        return all
    }

    @Test
    func outputsAreExactlyOnce() { check(Self.seeds) }

    /// A second group merges the outputs of the first one by the marks of time, with faults in both.
    @Test
    func mergedOutputsAreExactlyOnce() {
        check(Self.seeds.count == 1 ? Self.seeds : 0..<(Self.seeds.upperBound / 50), merges: true)
    }

    private func check(_ seeds: Range<UInt64>, merges: Bool = false) {
        let start = ContinuousClock.now
        let findings = Self.run(seeds, merges: merges, failures: 10)
        print(
            "weir groups\(merges ? ", merged" : ""): seeds \(seeds), \(findings.steps) steps, "
                + "\(findings.commits) commits, \(findings.late) of them late, \(findings.refused) refused, done after "
                + "\(findings.drainTime / 1_000_000) ms at most, \(findings.handovers) handed over in peace within "
                + "\(findings.longestStand / 1_000_000) ms, in \(ContinuousClock.now - start)"
        )
        for failure in findings.failures {
            Issue.record("WEIR_GROUP_SEED=\(failure.seed)\(merges ? ", merged" : ""): \(failure.what)")
        }
        #expect(findings.commits > 0)
        #expect(findings.handovers > 0 || seeds.count < 100)
    }

    /// A broker that does not keep what it promises is noticed, so that the test above says something.
    @Test(arguments: BrokerDefect.allCases)
    func aBrokenBrokerIsNoticed(defect: BrokerDefect) {
        let findings = Self.run(0..<2_000, defect: defect, failures: 1)
        print("weir groups: \(defect) noticed by seed \(findings.failures.map { "\($0.seed): \($0.what)" })")
        #expect(!findings.failures.isEmpty)
    }
}
