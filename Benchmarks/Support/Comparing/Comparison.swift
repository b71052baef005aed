/// What a workload came to over several rounds.
public struct Comparison: Sendable {
    public let workload: Workload

    /// In the workload's unit.
    public let value: Spread

    /// The workload's cost divided by its limit's, round by round.
    public let ratio: Spread?

    /// Whether the goal was met; `nil` where there is none.
    public var meetsGoal: Bool? {
        switch workload.goal {
        case .ratio(let greatest)?: ratio.map { $0.median <= greatest }
        case .atLeast(let least)?: value.median >= least
        case .atMost(let greatest)?: value.median <= greatest
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
    /// - Throws: What setting up or a workload throws.
    public func compare(rounds: Int, progress: (_ round: Int) -> Void) throws -> [Comparison] {
        precondition(rounds > 0, "a comparison takes at least one round")
        defer { tearDown() }
        try setUp()
        var costs: [[Double]] = workloads.map { _ in [] }
        for round in 0...rounds {
            progress(round)
            for (index, workload) in workloads.enumerated() {
                let cost = try workload.run()
                if round > 0 { costs[index].append(cost) }
            }
        }
        return workloads.enumerated().map { index, workload in
            Comparison(
                workload: workload,
                value: Spread(of: costs[index].map(workload.unit.value(ofCost:))),
                ratio: workload.limit.map { Spread(of: zip(costs[index], costs[indexOfLimit($0)]).map(/)) }
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
