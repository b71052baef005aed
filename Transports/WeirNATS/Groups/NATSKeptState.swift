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

    /// The number of the first piece.
    var first: UInt64 = 0
    let pieceCount: Int

    /// How many bytes all pieces have.
    let byteCount: Int

    /// How many bytes each of the changes has, in their order.
    let changes: [Int]
    private var content: Content

    /// Smaller states are written whole: they have few parts.
    private static let leastByteCount = 32 << 10

    /// How many changes follow a state, at most.
    private static let changeLimit = 128

    private init(pieceCount: Int, byteCount: Int, changes: [Int], _ content: Content) {
        (self.pieceCount, self.byteCount, self.changes, self.content) = (pieceCount, byteCount, changes, content)
    }

    /// A state that was read.
    init(_ first: UInt64, _ head: NATSCommitHead, _ state: [UInt8]) {
        self.init(
            pieceCount: head.pieceCount,
            byteCount: head.byteCount,
            changes: head.changes,
            state.count < Self.leastByteCount ? .unknown : .state(state)
        )
        self.first = first
    }

    /// A state that is written whole.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - pieceLimit: How many bytes a piece has, at most.
    /// - Returns: What is to be written, and where it will be.
    static func whole(_ state: [UInt8], _ pieceLimit: Int) -> (bytes: [UInt8], kept: NATSKeptState) {
        let content = state.count < leastByteCount ? Content.unknown : .outline(StateOutline(of: state))
        return (state, whole(state, pieceLimit, content))
    }

    private static func whole(_ state: [UInt8], _ pieceLimit: Int, _ content: Content) -> NATSKeptState {
        NATSKeptState(
            pieceCount: pieceCount(of: state, pieceLimit),
            byteCount: state.count,
            changes: [],
            content
        )
    }

    private static func pieceCount(of bytes: [UInt8], _ limit: Int) -> Int {
        max(1, (bytes.count + limit - 1) / limit)
    }

    /// Whether the state was read, and nothing is known of what it is made of.
    var isRead: Bool {
        if case .state = content { true } else { false }
    }

    /// Finds out what the state is made of, and forgets its bytes.
    mutating func outlineState() {
        if case .state(let state) = content { content = .outline(StateOutline(of: state)) }
    }

    /// The state that follows this one, as its changes where these are much less.
    ///
    /// What is read to go on is never more than half as much again as the state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - pieceLimit: How many bytes a piece has, at most.
    /// - Returns: What is to be written, and where all will be; `nil` where nothing is known of this one.
    func changed(to state: [UInt8], _ pieceLimit: Int) -> (bytes: [UInt8], kept: NATSKeptState)? {
        guard state.count >= Self.leastByteCount, case .outline(let outline) = content else { return nil }
        let (changes, next) = outline.changes(to: state)
        let pieceCount = self.pieceCount + Self.pieceCount(of: changes, pieceLimit)
        guard byteCount + changes.count <= state.count + state.count / 2, pieceCount <= NATSCommitHead.pieceLimit,
            self.changes.count < Self.changeLimit
        else { return (state, Self.whole(state, pieceLimit, .outline(next))) }
        var kept = NATSKeptState(
            pieceCount: pieceCount,
            byteCount: byteCount + changes.count,
            changes: self.changes + [changes.count],
            .outline(next)
        )
        kept.first = first
        return (changes, kept)
    }
}
