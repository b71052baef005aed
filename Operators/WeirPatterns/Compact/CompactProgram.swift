public import WeirCore

/// What an event with certain truth values does to the cells of a group: a run of instructions.
@frozen
@usableFromInline
struct CompactProgram: BitwiseCopyable, Sendable {
    @usableFromInline var first: UInt32
    @usableFromInline var end: UInt32
    /// How many nodes it makes at most.
    @usableFromInline var nodeCount: UInt32
    /// Whether it begins partial matches or makes matches of a single event.
    @usableFromInline var starts: Bool

    @inlinable
    init(first: UInt32, end: UInt32, nodeCount: UInt32, starts: Bool) {
        self.first = first
        self.end = end
        self.nodeCount = nodeCount
        self.starts = starts
    }

    /// Not a program, but that there is none yet.
    @inlinable
    static var unknown: CompactProgram { CompactProgram(first: 1, end: 0, nodeCount: 0, starts: false) }

    @inlinable
    var isKnown: Bool { first <= end }

    /// Whether the event does nothing to any group.
    @inlinable
    var isIdle: Bool { first == end }
}

/// An instruction of a ``CompactProgram``.
///
/// `from` and the moves after it, as many as `number` says, belong together; they are skipped where the cell is empty.
@frozen
@usableFromInline
struct CompactInstruction: BitwiseCopyable, Sendable {
    @frozen
    @usableFromInline
    enum Operation: UInt8, BitwiseCopyable, Sendable {
        /// Takes the partial matches of the cell, and leaves it empty.
        case from
        /// Takes the partial matches of the cell, and leaves them there too.
        case fromKeeping
        /// Begins new partial matches.
        case fromStart
        /// Puts them into another cell.
        case move
        /// Puts them, with the event, into another cell.
        case take
        /// Puts what the last `take` made into one more cell.
        case share
        /// Makes matches of them.
        case match
        /// Makes matches of them, with the event.
        case matchTaking
    }

    @usableFromInline var operation: Operation
    /// Whether the other cell has not been looked at yet for this event, so that it has to wait.
    @usableFromInline var isDeferred: Bool
    /// The cell.
    @usableFromInline var cell: UInt16
    /// The capture, or how many instructions belong to a `from`.
    @usableFromInline var number: UInt32

    @inlinable
    init(_ operation: Operation, cell: UInt16 = 0, number: UInt32 = 0, isDeferred: Bool = false) {
        self.operation = operation
        self.cell = cell
        self.number = number
        self.isDeferred = isDeferred
    }

    @inlinable
    static var none: CompactInstruction { CompactInstruction(.from) }
}

/// The programs of all combinations of truth values that have been met.
///
/// The automaton is determinised on demand: a combination is looked up, and only when it is met for the first time are the
/// guards evaluated. A program covers all states at once, so there are as many as combinations, not as sets of states.
@frozen
@usableFromInline
struct CompactPrograms: ~Copyable, Sendable {
    /// How many programs are kept; when there are more, all of them are made anew as they are needed.
    @usableFromInline static let greatestCount = 1 << 14
    /// The greatest number of conditions for which the truth values are the position in the table.
    @usableFromInline static let denseBits = 10
    /// How many nodes a move makes at most, beside one for each cell that its target's list may come from.
    @usableFromInline static let greatestShare = 5

    @usableFromInline let plan: CompactPlan
    @usableFromInline let isDense: Bool
    // By truth values, or by their hash.
    @usableFromInline var places: PositionRing<CompactProgram>
    @usableFromInline var truths: PositionRing<UInt64>
    @usableFromInline var instructions: PositionRing<CompactInstruction>
    @usableFromInline var count: UInt32 = 0
    @usableFromInline var instructionCount: UInt32 = 0

    @usableFromInline
    init(_ plan: CompactPlan) {
        self.plan = plan
        let bits = plan.conditionCount
        isDense = bits <= Self.denseBits
        places = PositionRing(capacity: isDense ? 1 << bits : Self.greatestCount * 2, filler: .unknown)
        truths = PositionRing(capacity: isDense ? 1 : Self.greatestCount * 2, filler: 0)
        instructions = PositionRing(capacity: 64, filler: .none)
    }

    /// The program for an event.
    ///
    /// - Parameter truths: The truth values of its conditions.
    /// - Returns: The program, made now if it has not been met before.
    @inlinable
    mutating func program(for truths: UInt64) -> CompactProgram {
        guard isDense else { return find(truths) }
        let place = UInt32(truncatingIfNeeded: truths)
        let program = places[place]
        return program.isKnown ? program : make(truths, at: place)
    }

    @usableFromInline
    @inline(never)
    mutating func find(_ truths: UInt64) -> CompactProgram {
        let mixed = (truths ^ truths >> 32) &* 0x9E37_79B9_7F4A_7C15
        var place = UInt32(truncatingIfNeeded: mixed ^ mixed >> 29)
        while true {
            let program = places[place]
            if !program.isKnown { return make(truths, at: place) }
            if self.truths[place] == truths { return program }
            place &+= 1
        }
    }

    @usableFromInline
    @inline(never)
    mutating func make(_ truths: UInt64, at place: UInt32) -> CompactProgram {
        if count == Self.greatestCount {
            for place in 0..<UInt32(places.capacity) { places[place] = .unknown }
            (count, instructionCount) = (0, 0)
        }
        let program = translate(truths)
        count += 1
        places[place] = program
        self.truths[place] = truths
        return program
    }

    private mutating func translate(_ truths: UInt64) -> CompactProgram {
        let first = instructionCount
        var nodeCount: UInt32 = 0
        var starts = false
        for (cell, state) in plan.waiting.enumerated() {
            let outcome = plan.automaton.outcome(of: state, for: truths)
            translate(outcome, of: state, in: cell, &nodeCount)
        }
        let outcome = plan.automaton.outcome(of: plan.automaton.start, for: truths)
        if !outcome.moves.isEmpty || !outcome.matches.isEmpty {
            starts = true
            translate(outcome, of: plan.automaton.start, in: nil, &nodeCount)
        }
        return CompactProgram(first: first, end: instructionCount, nodeCount: nodeCount, starts: starts)
    }

    private mutating func translate(
        _ outcome: CompactOutcome,
        of state: Int,
        in cell: Int?,
        _ nodeCount: inout UInt32
    ) {
        var moves = outcome.moves
        let kept = cell == nil ? nil : moves.firstIndex { $0.capture == nil && $0.target == state }
        if let kept { moves.remove(at: kept) }
        if kept != nil, moves.isEmpty, outcome.matches.isEmpty { return }
        var group: [CompactInstruction] = outcome.matches.map { capture in
            capture.map { CompactInstruction(.matchTaking, number: UInt32($0)) } ?? CompactInstruction(.match)
        }
        // Moves that take the event into the same capture come together, and share what they take.
        moves.sort { ($0.capture ?? -1, $0.target) < ($1.capture ?? -1, $1.target) }
        var captured: Int?
        for move in moves {
            guard let target = plan.waiting.firstIndex(of: move.target) else { continue }
            let operation: CompactInstruction.Operation
            if let capture = move.capture {
                operation = capture == captured ? .share : .take
                captured = capture
            } else {
                operation = .move
            }
            group.append(
                CompactInstruction(
                    operation,
                    cell: UInt16(target),
                    number: UInt32(move.capture ?? 0),
                    isDeferred: cell.map { target > $0 } ?? false
                )
            )
            // The node of the event, and what it takes to put it into the list of the cell.
            nodeCount += UInt32(plan.waiting.count + Self.greatestShare)
        }
        let operation: CompactInstruction.Operation =
            cell == nil ? .fromStart : kept == nil ? .from : .fromKeeping
        append(CompactInstruction(operation, cell: UInt16(cell ?? 0), number: UInt32(group.count)))
        for instruction in group { append(instruction) }
    }

    private mutating func append(_ instruction: CompactInstruction) {
        if Int(instructionCount) == instructions.capacity {
            instructions.resize(
                to: instructions.capacity * 2,
                keeping: 0,
                to: instructionCount,
                filler: .none
            )
        }
        instructions[instructionCount] = instruction
        instructionCount += 1
    }
}
