/// The conditions on the range of one field, by the places of its values among the constants.
///
/// A segment tree over the places: each condition stands at the O(log *n*) nodes that together cover its places, and those
/// that hold for a value stand on the way from the value's leaf to the root. So they are found without a look at the
/// others, however the ranges overlap, in a space of O(*n* log *n*). (J. L. Bentley, "Solutions to Klee's rectangle
/// problems", 1977.)
@frozen
@usableFromInline
struct RangeTable<Element>: Sendable {
    /// A condition at a node.
    @frozen
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var condition: Int
        /// Whether the condition holds where the value leads to it; else it must be evaluated.
        @usableFromInline var isDecided: Bool

        @usableFromInline
        init(condition: Int, isDecided: Bool) {
            self.condition = condition
            self.isDecided = isDecided
        }
    }

    @usableFromInline let placeCount: Int
    @usableFromInline let placeOfField: @Sendable (borrowing Element) -> Int?
    /// The entries of node *i* start at `starts[i]` and end where those of the next one start.
    @usableFromInline let starts: [Int]
    @usableFromInline let entries: [Entry]
    /// The conditions that must be evaluated for every value.
    @usableFromInline let unplaced: [Int]
    /// The conditions that must be evaluated for values without an order.
    @usableFromInline let unordered: [Int]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - placeCount: How many places there are.
    ///   - conditions: The conditions with the places where they can hold.
    ///   - unplaced: The conditions that must be evaluated for every value.
    ///   - unordered: The conditions that must be evaluated for values without an order.
    ///   - placeOfField: Finds the place of an element's value; `nil` if it has no order.
    init(
        placeCount: Int,
        _ conditions: [(places: Range<Int>, entry: Entry)],
        unplaced: [Int],
        unordered: [Int],
        placeOfField: @escaping @Sendable (borrowing Element) -> Int?
    ) {
        var nodes: [[Entry]] = Array(repeating: [], count: 2 * placeCount)
        for (places, entry) in conditions {
            var (lower, upper) = (places.lowerBound + placeCount, places.upperBound + placeCount)
            while lower < upper {
                if lower & 1 == 1 {
                    nodes[lower].append(entry)
                    lower += 1
                }
                if upper & 1 == 1 {
                    upper -= 1
                    nodes[upper].append(entry)
                }
                lower >>= 1
                upper >>= 1
            }
        }
        var starts = [0]
        for node in nodes { starts.append(starts[starts.count - 1] + node.count) }
        self.placeCount = placeCount
        self.placeOfField = placeOfField
        self.starts = starts
        self.entries = Array(nodes.joined())
        self.unplaced = unplaced
        self.unordered = unordered
    }

    /// The leaf of an element's value; half of a node's number is its parent, and the root is 1.
    ///
    /// - Returns: The leaf; `nil` if the value has no order.
    @inlinable
    func leaf(of element: borrowing Element) -> Int? {
        guard let place = placeOfField(element) else { return nil }
        return place + placeCount
    }
}
