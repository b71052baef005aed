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

    /// The states that an event can reach from one without being taken or passed over, itself included.
    func closure(of state: Int) -> [Int] {
        var reached = [state]
        var next = 0
        while next < reached.count {
            for edge in states[reached[next]].edges where edge.action == .proceed {
                if !reached.contains(edge.target) { reached.append(edge.target) }
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
        states.indices.map { state in closure(of: state).contains { states[$0].kind == .final } }
    }

    /// Whether an event could proceed for ever.
    var hasEndlessProceeding: Bool {
        // Depth-first, with the states on the way there.
        var finished = Set<Int>()
        func isEndless(_ state: Int, _ path: inout Set<Int>) -> Bool {
            if path.contains(state) { return true }
            if finished.contains(state) { return false }
            path.insert(state)
            for edge in states[state].edges where edge.action == .proceed && isEndless(edge.target, &path) {
                return true
            }
            path.remove(state)
            finished.insert(state)
            return false
        }
        for state in states.indices {
            var path = Set<Int>()
            if isEndless(state, &path) { return true }
        }
        return false
    }
}
