internal import WeirCore
internal import WeirGroups

/// Where the pieces are of what is known of a partition: a state, and the changes that lead from it to the last one.
struct NATSKeptState {
    /// What is known of the last state.
    private enum Content {
        /// It was read, and no other has followed so far.
        case state([UInt8])
        case outline(StateOutline)

        /// It is too small for that.
        case unknown
    }

    /// The commit that it is of.
    var revision: UInt64 = 0

    /// The numbers of the first piece and of the last one.
    private(set) var first: UInt64 = 0
    private(set) var last: UInt64 = 0
    let pieceCount: Int

    /// How many bytes all pieces have.
    let byteCount: Int

    /// The pieces of the changes, in their order.
    private(set) var changes: [NATSCommitHead.Change]
    private var content: Content

    /// Smaller states are written whole: they have few parts.
    private static let leastByteCount = 32 << 10

    /// How many changes follow a state, at most.
    private static let changeLimit = 128

    private init(pieceCount: Int, byteCount: Int, changes: [NATSCommitHead.Change], _ content: Content) {
        (self.pieceCount, self.byteCount, self.changes, self.content) = (pieceCount, byteCount, changes, content)
    }

    /// A state that was read.
    init(_ head: NATSCommitHead, _ pieces: [Range<UInt64>], revision: UInt64, _ state: [UInt8]) {
        self.init(
            pieceCount: head.pieceCount,
            byteCount: head.byteCount,
            changes: head.changes,
            state.count < Self.leastByteCount ? .unknown : .state(state)
        )
        for (index, change) in pieces.dropFirst().enumerated() { changes[index].first = change.lowerBound }
        (first, last) = (pieces.first?.lowerBound ?? 0, (pieces.last?.upperBound ?? 1) - 1)
        self.revision = revision
    }

    /// Notes that it was kept, with pieces right before the head of a commit.
    mutating func note(_ revision: UInt64) {
        if let change = changes.last {
            changes[changes.count - 1].first = revision - UInt64(change.pieceCount)
        } else {
            first = revision - UInt64(pieceCount)
        }
        (last, self.revision) = (revision - 1, revision)
    }

    // MARK: Writing

    /// What is to be written of a state, and where all will be.
    typealias Written = (pieces: [ArraySlice<UInt8>], kept: NATSKeptState)

    /// Writes a state whole.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - pieceLimit: How many bytes a piece has, at most.
    /// - Returns: All of it.
    static func whole(_ state: [UInt8], _ pieceLimit: Int) -> Written {
        whole(state, pieceLimit, state.count < leastByteCount ? .unknown : .outline(StateOutline(of: state)))
    }

    private static func whole(_ state: [UInt8], _ pieceLimit: Int, _ content: Content) -> Written {
        let pieces = pieces(of: state, pieceLimit)
        return (pieces, NATSKeptState(pieceCount: pieces.count, byteCount: state.count, changes: [], content))
    }

    /// At least one.
    private static func pieces(of bytes: [UInt8], _ limit: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, through: max(0, bytes.count - 1), by: limit).map { bytes[$0..<min($0 + limit, bytes.count)] }
    }

    /// Writes the state that follows this one: its changes where they are much less than all of it.
    ///
    /// What is read to go on is not more than half as much again as the state, but for the last commit before a partition
    /// changes hands: the next owner has read what is there already.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - isHandover: Whether the partition changes hands now.
    ///   - pieceLimit: How many bytes a piece has, at most.
    /// - Returns: The changes, or all of it.
    func changed(to state: [UInt8], isHandover: Bool, _ pieceLimit: Int) -> Written {
        let outline: StateOutline
        switch content {
        case .state(let last): outline = StateOutline(of: last)
        case .outline(let known): outline = known
        case .unknown: return Self.whole(state, pieceLimit)
        }
        guard state.count >= Self.leastByteCount else { return Self.whole(state, pieceLimit, .unknown) }
        let room = state.count + (isHandover ? state.count : state.count / 2) - byteCount
        let (changes, next) = outline.changes(to: state, limit: min(room, state.count))
        guard let changes, self.changes.count < Self.changeLimit else {
            return Self.whole(state, pieceLimit, .outline(next))
        }
        let pieces = Self.pieces(of: changes, pieceLimit)
        guard pieceCount + pieces.count <= NATSCommitHead.pieceLimit else {
            return Self.whole(state, pieceLimit, .outline(next))
        }
        var kept = NATSKeptState(
            pieceCount: pieceCount + pieces.count,
            byteCount: byteCount + changes.count,
            changes: self.changes
                + [NATSCommitHead.Change(first: 0, pieceCount: pieces.count, byteCount: changes.count)],
            .outline(next)
        )
        kept.first = first
        return (pieces, kept)
    }

    /// Whether the bytes of the state are kept.
    var hasState: Bool {
        if case .state = content { true } else { false }
    }

    /// Finds out what the state is made of, and forgets its bytes.
    mutating func outlineState() {
        if case .state(let state) = content { content = .outline(StateOutline(of: state)) }
    }
}
