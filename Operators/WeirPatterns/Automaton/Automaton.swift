/// A pattern as states and guarded edges, for the runs strategy.
///
/// An event that arrives while a partial match is in a state follows every edge whose guard holds, and so a partial match
/// can become several. The structure is that of Agrawal, Diao, Gyllstrom, Immerman: "Efficient Pattern Matching over Event
/// Streams", SIGMOD 2008.
@usableFromInline
struct Automaton: Sendable, Hashable {
    @usableFromInline
    enum Kind: Sendable, Hashable {
        case normal
        /// A match is complete.
        case final
        /// What was forbidden has happened.
        case stop
        /// Complete as soon as its time is over.
        case pending
    }

    @usableFromInline
    enum Action: Sendable, Hashable {
        /// The event is captured.
        case take
        /// The event is passed over.
        case ignore
        /// The event is looked at by the target as well.
        case proceed
    }

    @usableFromInline
    struct Edge: Sendable, Hashable {
        var action: Action
        var target: Int
        var condition: Guard

        /// Whether any event that is looked at is looked at by the target as well.
        var leaves: Bool { action == .proceed && condition == .always }
    }

    @usableFromInline
    struct State: Sendable, Hashable {
        /// Where an event goes that is taken here; -1 where none is.
        @usableFromInline var capture: Int
        @usableFromInline var kind: Kind
        @usableFromInline var edges: [Edge] = []
        /// How long after the event before it the next one must come, in nanoseconds; 0 for no limit.
        @usableFromInline var gap: Int64 = 0

        init(capture: Int, kind: Kind) {
            self.capture = capture
            self.kind = kind
        }
    }

    @usableFromInline var states: [State]
    @usableFromInline var start: Int
    /// How long a match may last, in nanoseconds; 0 for no limit.
    @usableFromInline var within: Int64
    /// The schedules that say when states are over.
    @usableFromInline var schedules: [Int: Int] = [:]

    /// For each state whether it is complete at a time of its own, rather than at the end of the window or of a gap.
    @usableFromInline var haveOwnTimes: [Bool] = []

    /// The states that an event can reach from one without being taken or passed over, itself included.
    func closure(of state: Int) -> [Int] {
        var isSeen = Array(repeating: false, count: states.count)
        isSeen[state] = true
        var reached = [state]
        var next = 0
        while next < reached.count {
            for edge in states[reached[next]].edges where edge.action == .proceed && !isSeen[edge.target] {
                isSeen[edge.target] = true
                reached.append(edge.target)
            }
            next += 1
        }
        return reached
    }

    /// A bit for each condition that what an event begins depends on.
    var conditionsOfBeginning: UInt64 {
        closure(of: start).reduce(0) { bits, state in states[state].edges.reduce(bits) { $0 | $1.condition.mentioned } }
    }

    /// For each state, whether an event can proceed from it to the end, or is there.
    var statesThatProceedToTheEnd: [Bool] {
        gathered(states.map { $0.kind == .final ? 1 : 0 }).map { $0 != 0 }
    }

    /// For each state, the bits of all states in its closure.
    ///
    /// - Parameter bits: Those of each state itself.
    /// - Returns: The bits of all states, joined by "or".
    /// - Complexity: O(states and edges), where no event can proceed for ever.
    func gathered(_ bits: [UInt64]) -> [UInt64] {
        let order = statesBehindFirst
        var gathered = bits
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for state in order {
                let all = states[state].edges.reduce(gathered[state]) {
                    $1.action == .proceed ? $0 | gathered[$1.target] : $0
                }
                if all != gathered[state] { (gathered[state], hasChanged) = (all, true) }
            }
        }
        return gathered
    }

    /// Whether an event could proceed for ever.
    var hasEndlessProceeding: Bool {
        var positions = Array(repeating: 0, count: states.count)
        for (position, state) in statesBehindFirst.enumerated() { positions[state] = position }
        return states.indices.contains { state in
            states[state].edges.contains { $0.action == .proceed && positions[$0.target] >= positions[state] }
        }
    }

    /// All states, each after those that it proceeds to.
    ///
    /// In a cycle one comes before a state that it proceeds to, or is itself that state.
    private var statesBehindFirst: [Int] {
        var order: [Int] = []
        var isSeen = Array(repeating: false, count: states.count)
        // Depth-first, with the states on the way there: as many as the pattern has stages.
        var way: [(state: Int, edge: Int)] = []
        for start in states.indices where !isSeen[start] {
            isSeen[start] = true
            way.append((start, 0))
            while let (state, edge) = way.last {
                guard edge < states[state].edges.count else {
                    order.append(state)
                    way.removeLast()
                    continue
                }
                way[way.count - 1].edge += 1
                let next = states[state].edges[edge]
                guard next.action == .proceed, !isSeen[next.target] else { continue }
                isSeen[next.target] = true
                way.append((next.target, 0))
            }
        }
        return order
    }
}
