/// The places of a regular expression at which characters are read, and which follow which.
struct Positions {
    /// How many places an expression may have.
    static let limit = 2000

    /// What is read at each place.
    private(set) var sets: [ScalarSet] = []

    /// The places at which a text may begin, and whether it may end there: the bit behind the places.
    private(set) var first = Bits(count: 0)

    /// The same for what follows each place.
    private(set) var following: [Bits] = []

    /// How many places there are.
    var count: Int { sets.count }

    /// Finds the places of an expression.
    init(_ expression: RegularExpression) throws(TextPatternError) {
        var graph = Graph()
        let end = try graph.add(expression, after: graph.node())
        let places = graph.nodes.indices.filter { graph.nodes[$0].set != nil }
        var placeOfNode: [Int: Int] = [end: places.count]
        for (place, node) in places.enumerated() { placeOfNode[node] = place }
        sets = places.compactMap { graph.nodes[$0].set }
        first = graph.places(from: 0, placeOfNode, count: places.count + 1)
        following = places.map { graph.places(from: graph.nodes[$0].next, placeOfNode, count: places.count + 1) }
    }

    /// Nodes, some of which read a character, with free ways between them.
    private struct Graph {
        struct Node {
            /// What is read on the way to ``next``.
            var set: ScalarSet?
            var next = 0
            /// Where a way leads on which nothing is read.
            var free: [Int] = []
        }

        var nodes: [Node] = []

        /// A new node.
        mutating func node() throws(TextPatternError) -> Int {
            // Repetitions have several nodes for each place.
            guard nodes.count < 4 * Positions.limit else {
                throw TextPatternError("the expression takes more than \(Positions.limit) places", at: 0)
            }
            nodes.append(Node())
            return nodes.count - 1
        }

        /// Adds an expression behind a node.
        ///
        /// - Returns: The node at its end.
        mutating func add(_ expression: RegularExpression, after start: Int) throws(TextPatternError) -> Int {
            switch expression {
            case .character(let set):
                let (reader, end) = (try node(), try node())
                nodes[start].free.append(reader)
                nodes[reader].set = set
                nodes[reader].next = end
                return end
            case .sequence(let parts):
                var end = start
                for part in parts { end = try add(part, after: end) }
                return end
            case .either(let members):
                let end = try node()
                for member in members {
                    let begin = try node()
                    nodes[start].free.append(begin)
                    nodes[try add(member, after: begin)].free.append(end)
                }
                return end
            case .repeated(let inner, let least, let most):
                return try add(inner, least, most, after: start)
            case .not(let inner):
                let table = try StateTable([try Positions(inner)]) { !$0[0] }
                return try add(table, after: start)
            case .both(let one, let other):
                let table = try StateTable([try Positions(one), try Positions(other)]) {
                    $0[0] && $0[1]
                }
                return try add(table, after: start)
            }
        }

        private mutating func add(
            _ inner: RegularExpression,
            _ least: Int,
            _ most: Int?,
            after start: Int
        ) throws(TextPatternError) -> Int {
            var last = start
            for _ in 0..<least { last = try add(inner, after: last) }
            let end = try node()
            guard let most else {
                nodes[last].free.append(end)
                nodes[try add(inner, after: end)].free.append(end)
                return end
            }
            for _ in least..<most {
                nodes[last].free.append(end)
                last = try add(inner, after: last)
            }
            nodes[last].free.append(end)
            return end
        }

        private mutating func add(_ table: StateTable, after start: Int) throws(TextPatternError) -> Int {
            let end = try node()
            var entries: [Int] = []
            for _ in table.accepting { entries.append(try node()) }
            nodes[start].free.append(entries[table.start])
            for (state, entry) in entries.enumerated() {
                if table.accepting[state] { nodes[entry].free.append(end) }
                for (target, set) in table.ways(from: state) {
                    let reader = try node()
                    nodes[entry].free.append(reader)
                    nodes[reader].set = set
                    nodes[reader].next = entries[target]
                }
            }
            return end
        }

        /// The places that free ways reach.
        func places(from start: Int, _ placeOfNode: [Int: Int], count: Int) -> Bits {
            var places = Bits(count: count)
            var seen = Bits(count: nodes.count)
            var open = [start]
            while let node = open.popLast() {
                guard !seen.contains(node) else { continue }
                seen.insert(node)
                if let place = placeOfNode[node] { places.insert(place) }
                if nodes[node].set == nil { open += nodes[node].free }
            }
            return places
        }
    }
}

/// A set of small numbers.
struct Bits: Hashable, Sendable {
    private(set) var words: [UInt64]

    init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    func contains(_ index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }

    mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }

    mutating func formUnion(_ other: Bits) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
    }

    /// Calls a function with each number that two sets have in common.
    func forEach(alsoIn other: Bits, _ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index] & other.words[index]
            while word != 0 {
                body(index << 6 | word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}
