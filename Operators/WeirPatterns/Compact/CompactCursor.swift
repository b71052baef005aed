public import WeirCore

/// Where the enumeration of the matches of an event is.
///
/// Goes down from a node to a first event; at each union it notes the other side for later. The events of a path lie in
/// one array, of which the part above a noted node is still right when the node's turn comes.
@frozen
@usableFromInline
struct CompactCursor: ~Copyable, Sendable {
    @frozen
    @usableFromInline
    struct Branch: BitwiseCopyable, Sendable {
        @usableFromInline var node: UInt32
        @usableFromInline var depth: UInt32

        @inlinable
        init(_ node: UInt32, _ depth: UInt32) {
            self.node = node
            self.depth = depth
        }
    }

    /// An event of a match.
    @frozen
    @usableFromInline
    struct Step: BitwiseCopyable, Sendable {
        /// `UInt32.max` for the event that completes the match.
        @usableFromInline var event: UInt32
        @usableFromInline var capture: UInt32

        @inlinable
        init(_ event: UInt32, _ capture: UInt32) {
            self.event = event
            self.capture = capture
        }
    }

    /// The position of the event that completes the matches.
    @inlinable
    static var current: UInt32 { .max }

    @usableFromInline var branches = PositionRing(capacity: 16, filler: Branch(0, 0))
    @usableFromInline var branchCount: UInt32 = 0
    // From the last event of a match to the first.
    @usableFromInline var steps = PositionRing(capacity: 16, filler: Step(0, 0))
    @usableFromInline var length: UInt32 = 0
    @usableFromInline var nextFinding: UInt32 = 0
    /// When the match began, unless the event that completes it is its only one.
    @usableFromInline var start = Int64.min

    @inlinable
    init() {}

    @inlinable
    mutating func reset() {
        branchCount = 0
        nextFinding = 0
    }

    @inlinable
    mutating func push(_ branch: Branch) {
        if Int(branchCount) == branches.capacity {
            branches.resize(to: branches.capacity * 2, keeping: 0, to: branchCount, filler: branch)
        }
        branches[branchCount] = branch
        branchCount &+= 1
    }

    @inlinable
    mutating func set(_ step: Step, at depth: UInt32) {
        if Int(depth) == steps.capacity {
            steps.resize(to: steps.capacity * 2, keeping: 0, to: depth, filler: step)
        }
        steps[depth] = step
    }
}

extension CompactEngine {
    /// Starts with the first match of the last event.
    @inlinable
    mutating func resetCursor() { cursor.reset() }

    /// Goes to the next match of the last event.
    ///
    /// - Returns: `false` if there are no more.
    /// - Complexity: O(*k*) for a match of *k* events, whatever the number of matches.
    @inlinable
    mutating func nextMatch() -> Bool {
        var node: UInt32
        var depth: UInt32
        if cursor.branchCount != 0 {
            cursor.branchCount &-= 1
            let branch = cursor.branches[cursor.branchCount]
            (node, depth) = (branch.node, branch.depth)
        } else {
            guard cursor.nextFinding != findingCount else { return false }
            let finding = findings[cursor.nextFinding]
            cursor.nextFinding &+= 1
            (node, depth) = (finding.root, 0)
            if finding.capture >= 0 {
                cursor.set(
                    CompactCursor.Step(CompactCursor.current, UInt32(truncatingIfNeeded: finding.capture)),
                    at: 0
                )
                depth = 1
            }
        }
        while node != 0 {
            let content = graph.nodes[node]
            if content.isUnion {
                if content.detail >= graph.floor { cursor.push(CompactCursor.Branch(content.other, depth)) }
                node = content.left
            } else {
                cursor.set(
                    CompactCursor.Step(content.other, UInt32(truncatingIfNeeded: content.detail)),
                    at: depth
                )
                depth &+= 1
                cursor.start = content.newest
                node = content.link
            }
        }
        cursor.length = depth
        return true
    }

    /// The number of matches of the last event.
    ///
    /// - Complexity: O(1) per match and event of it that the match does not share with the one before.
    @inlinable
    mutating func countMatches() -> Int {
        var count = 0
        cursor.reset()
        var finding: UInt32 = 0
        while finding != findingCount {
            var node = findings[finding].root
            finding &+= 1
            while true {
                while node != 0 {
                    let content = graph.nodes[node]
                    if content.isUnion, content.detail >= graph.floor {
                        cursor.push(CompactCursor.Branch(content.other, 0))
                    }
                    node = content.left
                }
                count &+= 1
                if cursor.branchCount == 0 { break }
                cursor.branchCount &-= 1
                node = cursor.branches[cursor.branchCount].node
            }
        }
        return count
    }
}
