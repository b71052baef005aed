/// What can go wrong with a graph.
public enum GraphError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nothing is connected to the port.
    case unconnected(port: String)
    /// Two ports are connected to the one.
    case connectedTwice(port: String)
    /// The port belongs to another graph, or to a run that is over.
    case foreign(port: String)
    /// Nothing in the graph can go on; these ports wait, each for the next, and the last for the first.
    case deadlock(waiting: [String])
    /// A buffer whose policy is to fail was full.
    case overflow(capacity: Int)
    /// A sink that collects got more elements than it may hold.
    case tooMany(limit: Int)
    /// The graph was stopped by a kill switch.
    case stopped
    /// The stream ended without an element that was needed.
    case noElement

    public var description: String {
        switch self {
        case .unconnected(let port):
            "nothing is connected to the port \(port); connect it, or end it in an ignoring sink"
        case .connectedTwice(let port): "the port \(port) is connected twice; put a merge or a broadcast in front of it"
        case .foreign(let port): "the port \(port) belongs to another graph"
        case .deadlock(let ports):
            """
            the graph is stuck: \(ports.joined(separator: ", which waits for ")); give the cycle a first element, or a \
            buffer that drops
            """
        case .overflow(let capacity): "a buffer of \(capacity) elements is full"
        case .tooMany(let limit): "there are more than the \(limit) elements that may be collected"
        case .stopped: "the graph was stopped"
        case .noElement: "the stream has ended without an element"
        }
    }
}
