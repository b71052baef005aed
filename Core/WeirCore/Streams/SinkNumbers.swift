/// The numbers by which checkpoints know the sinks of a chain that takes its own place, such as that of `retry`.
///
/// Channels number their sinks in the order in which they were attached. A chain that is attached again has the numbers of
/// the one before it, so that in a new process, where it is attached once, its state is found.
///
/// Thread safety: any thread; the chain is attached by one at a time.
package final class SinkNumbers: Sendable {
    private struct Place: Sendable {
        let source: ObjectIdentifier
        let number: UInt64
    }

    private struct State: Sendable {
        var places: [Place] = []
        var next = 0
    }

    @TaskLocal private static var current: SinkNumbers?

    private let state = Locked(State())

    package init() {}

    /// Attaches the chain, for the first time or again; `attach` does so before it returns.
    package func attach<Result>(_ attach: () -> Result) -> Result {
        state.withLock { $0.next = 0 }
        return Self.$current.withValue(self, operation: attach)
    }

    /// The number of a sink that is being attached.
    ///
    /// - Parameters:
    ///   - source: What it is attached to.
    ///   - new: Gives a number that no other sink has.
    /// - Returns: The number, and whether another sink had it before.
    static func number(in source: AnyObject, _ new: () -> UInt64) -> (number: UInt64, isKnown: Bool) {
        guard let current else { return (new(), false) }
        return current.state.withLock { state in
            defer { state.next += 1 }
            if state.next < state.places.count, state.places[state.next].source == ObjectIdentifier(source) {
                return (state.places[state.next].number, true)
            }
            let number = new()
            state.places.removeSubrange(min(state.next, state.places.count)...)
            state.places.append(Place(source: ObjectIdentifier(source), number: number))
            return (number, false)
        }
    }
}
