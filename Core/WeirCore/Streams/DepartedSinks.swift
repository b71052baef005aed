/// What numbers the sinks that are attached to it.
package protocol SinkSource: AnyObject, Sendable {
    var departed: DepartedSinks { get }
}

/// The sinks that have left a source for another stream, or until they are attached again.
///
/// In a new process such a sink is attached to the source first; what is saved of it here says that it is to leave again.
///
/// Thread safety: any thread.
@usableFromInline
package final class DepartedSinks: Sendable {
    private struct Entry: Sendable {
        let number: UInt64
        weak let numbers: SinkNumbers?
        // None of those that wait.
        let departure: Departure?
    }

    private struct State: Sendable {
        // Of those with the same number, the last one counts.
        var entries: [Entry] = []
        // How many there may be before those that are over are looked for.
        var limit = 16
    }

    private let state = Locked(State())

    package init() {}

    func add(_ number: UInt64, _ numbers: SinkNumbers, _ departure: Departure?) {
        state.withLock { state in
            state.entries.append(Entry(number: number, numbers: numbers, departure: departure))
            guard state.entries.count > state.limit else { return }
            state.entries = Self.current(state.entries)
            state.limit = max(16, 2 * state.entries.count)
        }
    }

    private static func current(_ entries: [Entry]) -> [Entry] {
        var numbers: Set<UInt64> = []
        let living = entries.reversed().filter { $0.numbers?.isOver == false && numbers.insert($0.number).inserted }
        return living.sorted { $0.number < $1.number }
    }

    private var current: [Entry] { Self.current(state.withLock { $0.entries }) }

    /// The sinks that have gone on with another stream, in the order of their numbers.
    var switched: [(number: UInt64, departure: Departure)] {
        current.compactMap { entry in entry.departure.map { (entry.number, $0) } }
    }

    /// The sinks that wait to be attached again, in the order of their numbers, and what exchanges their states.
    var waiting: [(number: UInt64, exchange: SinkNumbers.Exchange)] {
        current.compactMap { entry in entry.numbers?.waiting.map { (entry.number, $0) } }
    }
}
