/// The operators of a plugin, for people to look at.
///
/// Nodes are numbered in the order in which they were added.
///
///     var graph = PluginGraph()
///     let readings = graph.add("readings", .source)
///     let hot = graph.add("filter: above the limit", .step, after: readings)
///     graph.add("matches", .sink, after: hot)
public struct PluginGraph: Sendable, Hashable {
    /// What a node is.
    public enum Kind: Sendable, Hashable {
        /// Where records enter.
        case source
        /// An operator.
        case step
        /// Where matches leave.
        case sink
    }

    /// A node.
    public struct Node: Sendable, Hashable {
        /// What it does, in a few words.
        public let label: String

        /// What it is.
        public let kind: Kind

        /// The numbers of the nodes before it; smaller than its own.
        public let sources: [Int]
    }

    /// The nodes.
    public private(set) var nodes: [Node] = []

    /// Creates a graph without nodes.
    public init() {}

    /// Creates the graph of a plugin that says nothing about its operators.
    package init(ofPlugin name: String) {
        let records = add("records", .source)
        let plugin = add(name, .step, after: records)
        add("matches", .sink, after: plugin)
    }

    /// Adds a node.
    ///
    /// - Parameters:
    ///   - label: What it does, in a few words.
    ///   - kind: What it is.
    ///   - sources: The nodes before it, which were added before.
    /// - Returns: Its number.
    @discardableResult
    public mutating func add(_ label: String, _ kind: Kind, after sources: Int...) -> Int {
        add(label, kind, after: sources)
    }

    @discardableResult
    package mutating func add(_ label: String, _ kind: Kind, after sources: [Int]) -> Int {
        precondition(sources.allSatisfy(nodes.indices.contains), "a node comes after nodes that were added before")
        nodes.append(Node(label: label, kind: kind, sources: sources))
        return nodes.count - 1
    }
}
