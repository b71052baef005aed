/// A set of partial matches that share their ends: a node of a persistent graph.
///
/// A *step* is every partial match of its parent, followed by one event. A *union* is the partial matches of both its
/// sides, of which the left one holds the newest start. So the matches that have not expired are found by looking at one
/// number per node.
@frozen
@usableFromInline
struct CompactNode: BitwiseCopyable, Sendable {
    /// The latest start of the partial matches, in nanoseconds.
    @usableFromInline var newest: Int64
    /// Of a union the latest start on the right side, whose node may have been reclaimed; of a step the capture.
    @usableFromInline var detail: Int64
    /// The left side of a union, marked by the highest bit; the parent of a step, 0 if it is the first.
    @usableFromInline var link: UInt32
    /// The right side of a union; the event of a step.
    @usableFromInline var other: UInt32

    @inlinable
    init(newest: Int64, detail: Int64, link: UInt32, other: UInt32) {
        self.newest = newest
        self.detail = detail
        self.link = link
        self.other = other
    }

    @inlinable
    static var none: CompactNode { CompactNode(newest: .min, detail: 0, link: 0, other: 0) }

    @inlinable
    static var unionBit: UInt32 { 1 << 31 }

    /// How long the list of a cell may become; never reached, as each entry comes from another cell.
    @inlinable
    static var greatestListCount: Int { 64 }

    @inlinable
    var isUnion: Bool { link & Self.unionBit != 0 }

    @inlinable
    var left: UInt32 { link & ~Self.unionBit }
}

/// The partial matches of one group that wait in one state.
///
/// They are a list of nodes by decreasing ``CompactNode/newest``, kept as unions to the right: `count` nodes, of which
/// the first is the left side of the root, the second the left side of the root's right side, and so on.
@frozen
@usableFromInline
struct CompactCell: BitwiseCopyable, Sendable {
    @usableFromInline var newest: Int64
    /// 0 for none.
    @usableFromInline var root: UInt32
    @usableFromInline var count: UInt32

    @inlinable
    init(newest: Int64, root: UInt32, count: UInt32) {
        self.newest = newest
        self.root = root
        self.count = count
    }

    @inlinable
    static var empty: CompactCell { CompactCell(newest: .min, root: 0, count: 0) }
}

/// An event that partial matches have captured.
@frozen
@usableFromInline
struct CompactEvent<Element: Sendable>: Sendable {
    @usableFromInline var element: Element?
    @usableFromInline var time: Int64

    @inlinable
    init(_ element: Element?, _ time: Int64) {
        self.element = element
        self.time = time
    }
}
