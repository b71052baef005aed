/// What a workload came to over several rounds.
public struct Comparison: Sendable {
    public let workload: Workload

    /// In the workload's unit; `nil` when the work failed, and so has no cost.
    public let value: Spread?

    /// What went wrong, such as a result that is not what it must be; `nil` when nothing did.
    public let failure: String?

    /// The workload's cost divided by its limit's, round by round.
    public let ratio: Spread?

    /// Whether the goal was met; `nil` where there is none.
    public var meetsGoal: Bool? {
        switch workload.goal {
        case .ratio(let greatest)?: ratio.map { $0.median <= greatest }
        case .atLeast(let least)?: value.map { $0.median >= least }
        case .atMost(let greatest)?: value.map { $0.median <= greatest }
        case nil: nil
        }
    }
}

extension Suite {
    /// Runs all workloads in turn, round by round, so that whatever else the machine does in a round hits a workload
    /// and its limit alike.
    ///
    /// - Parameters:
    ///   - rounds: How often; at least once. One more round goes before them and does not count.
    ///   - progress: Called before each round.
    /// - Returns: What each workload came to, in the suite's order.
    /// - Throws: What setting up throws. A workload that throws is not run again, and what it throws is in its row.
    public func compare(rounds: Int, progress: (_ round: Int) -> Void) throws -> [Comparison] {
        precondition(rounds > 0, "a comparison takes at least one round")
        defer { tearDown() }
        try setUp()
        var costs: [[Double]] = workloads.map { _ in [] }
        var failures: [String?] = workloads.map { _ in nil }
        for round in 0...rounds {
            progress(round)
            for (index, workload) in workloads.enumerated() {
                guard failures[index] == nil else { continue }
                do {
                    let cost = try workload.run()
                    if round > 0 { costs[index].append(cost) }
                } catch {
                    failures[index] = "\(error)"
                }
            }
        }
        return workloads.enumerated().map { index, workload in
            guard failures[index] == nil else {
                return Comparison(workload: workload, value: nil, failure: failures[index], ratio: nil)
            }
            let limit = workload.limit.map(indexOfLimit)
            return Comparison(
                workload: workload,
                value: Spread(of: costs[index].map(workload.unit.value(ofCost:))),
                failure: nil,
                ratio: limit.flatMap { limit in
                    failures[limit] == nil ? Spread(of: zip(costs[index], costs[limit]).map(/)) : nil
                }
            )
        }
    }

    private func indexOfLimit(_ name: String) -> Int {
        guard let index = workloads.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("the suite '\(self.name)' has no limit '\(name)'")
        }
        return index
    }
}
