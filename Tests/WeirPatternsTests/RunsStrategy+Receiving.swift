import WeirCore

@testable import WeirPatterns

extension RunsStrategy {
    /// Takes an event without a front before it.
    mutating func receive<Output: MatchReceiver>(
        _ element: Element,
        at time: Timestamp,
        slot: Int,
        into output: inout Output
    ) -> Bool where Output.Element == Element {
        var truths: UInt64 = 0
        for (id, condition) in conditions.unaryConditions.enumerated() where condition.holds(element) {
            truths |= 1 << UInt64(id)
        }
        return receive(element, meaning(of: truths), at: time, slot: UInt32(slot), into: &output)
    }
}
