/// What a workload came to over several rounds.
public struct Comparison: Sendable {
    public let workload: Workload

    /// In the workload's unit; `nil` when the work failed, and so has no cost.
    public let value: Spread?

    /// What went wrong, such as a result that is not what it must be; `nil` when nothing did.
    public let failure: String?

    /// The workload's cost divided by its limit's, round by round.
    public let ratio: Spread?

    /// How many rounds counted.
    public let rounds: Int

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
    ///   - rounds: How often at most; at least once.
    ///   - warmsUp: Whether one more round goes before them, which does not count.
    ///   - deadline: No further round starts that would probably end after this; the first that counts always does.
    ///   - progress: Called before each round, with the time that the round before it took.
    /// - Returns: What each workload came to, in the suite's order.
    /// - Throws: What setting up throws. A workload that throws is not run again, and what it throws is in its row.
    public func compare(
        rounds: Int,
        warmsUp: Bool = true,
        until deadline: ContinuousClock.Instant? = nil,
        progress: (_ round: Int, _ last: Duration?) -> Void
    ) throws -> [Comparison] {
        precondition(rounds > 0, "a comparison takes at least one round")
        defer { tearDown() }
        try setUp()
        let clock = ContinuousClock()
        var costs: [[Double]] = workloads.map { _ in [] }
        var failures: [String?] = workloads.map { _ in nil }
        var counted = 0
        var last: Duration?
        for round in (warmsUp ? 0 : 1)...rounds {
            if round > 1, let deadline, let last, clock.now + last > deadline { break }
            progress(round, last)
            last = clock.measure {
                for (index, workload) in workloads.enumerated() where failures[index] == nil {
                    do {
                        let cost = try workload.run()
                        if round > 0 { costs[index].append(cost) }
                    } catch {
                        failures[index] = "\(error)"
                    }
                }
            }
            counted = round
        }
        return workloads.enumerated().map { index, workload in
            let limit = workload.limit.map(indexOfLimit)
            let isMeasured = failures[index] == nil
            return Comparison(
                workload: workload,
                value: isMeasured ? Spread(of: costs[index].map(workload.unit.value(ofCost:))) : nil,
                failure: failures[index],
                ratio: limit.flatMap { limit in
                    isMeasured && failures[limit] == nil ? Spread(of: zip(costs[index], costs[limit]).map(/)) : nil
                },
                rounds: counted
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
