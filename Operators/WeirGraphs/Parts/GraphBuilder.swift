internal import WeirCore
internal import WeirDispatch

/// Where the parts of a graph are put and connected.
///
///     let graph = try Graph { builder in
///         let split = builder.broadcast(Int.self, to: 2)
///         let merge = builder.merge(Int.self, from: 2)
///         builder.add(Source(1...10)) --> split.inlet
///         split.outlets[0] --> Flow.map { $0 * 2 } --> merge.inlets[0]
///         split.outlets[1] --> merge.inlets[1]
///         return merge.outlet --> .collect(limit: 100)
///     }
///     let numbers = try await graph.run().value()
///
/// A builder is used in the closure that it is given to, and not afterwards.
public final class GraphBuilder {
    private struct Connection {
        let outlet: PortPlace
        let inlet: PortPlace
        let make: @Sendable (WireEnds) -> AnyWire
    }

    private var stages: [StageDescription] = []
    private var connections: [Connection] = []
    private var connectedOutlets: Set<PortPlace> = []
    private var connectedInlets: Set<PortPlace> = []
    private var error: GraphError?
    private var nameCounts: [String: Int] = [:]

    init() {}

    // MARK: Building

    @usableFromInline
    func addStage(
        _ name: String,
        inlets: [String] = [],
        outlets: [String] = [],
        isExternal: Bool = false,
        _ make: @escaping @Sendable (StageContext) -> StageDescription.Step
    ) -> Int {
        let number = nameCounts[name, default: 0]
        nameCounts[name] = number + 1
        let name = number == 0 ? name : "\(name) \(number + 1)"
        stages.append(
            StageDescription(
                name: name,
                inlets: inlets.map { "\(name).\($0)" },
                outlets: outlets.map { "\(name).\($0)" },
                isExternal: isExternal,
                make: make
            )
        )
        return stages.count - 1
    }

    /// Connects two ports.
    ///
    /// - Parameters:
    ///   - outlet: The outlet.
    ///   - inlet: Where they go in.
    public func connect<Element>(_ outlet: Outlet<Element>, to inlet: Inlet<Element>) {
        guard outlet.builder === self else { return note(.foreign(port: outlet.name)) }
        guard inlet.builder === self else { return note(.foreign(port: inlet.name)) }
        let (from, to) = (outlet.place, inlet.place)
        if !connectedOutlets.insert(from).inserted { note(.connectedTwice(port: outlet.name)) }
        if !connectedInlets.insert(to).inserted { note(.connectedTwice(port: inlet.name)) }
        connections.append(Connection(outlet: from, inlet: to) { Wire<Element>($0) })
    }

    private func note(_ new: GraphError) {
        error = error ?? new
    }

    func name(ofOutlet port: Int, of stage: Int) -> String { stages[stage].outlets[port] }

    func name(ofInlet port: Int, of stage: Int) -> String { stages[stage].inlets[port] }

    /// Puts a source into the graph.
    ///
    /// - Parameter source: The source.
    /// - Returns: Its outlet.
    @discardableResult
    public func add<Element, Handle>(_ source: Source<Element, Handle>) -> Outlet<Element> {
        source.make(self).outlet
    }

    /// Puts a source into the graph.
    ///
    /// - Parameter source: The source.
    /// - Returns: Its outlet, and its handle.
    public func addKeepingHandle<Element, Handle>(
        _ source: Source<Element, Handle>
    ) -> (outlet: Outlet<Element>, handle: Handle) {
        source.make(self)
    }

    /// Puts a flow into the graph.
    ///
    /// - Parameter flow: The flow.
    /// - Returns: Its two ports.
    public func add<Input, Output, Handle>(_ flow: Flow<Input, Output, Handle>) -> FlowPorts<Input, Output> {
        flow.make(self).ports
    }

    /// Puts a flow into the graph.
    ///
    /// - Parameter flow: The flow.
    /// - Returns: Its two ports, and its handle.
    public func addKeepingHandle<Input, Output, Handle>(
        _ flow: Flow<Input, Output, Handle>
    ) -> (ports: FlowPorts<Input, Output>, handle: Handle) {
        flow.make(self)
    }

    /// Puts a sink into the graph.
    ///
    /// - Parameter sink: The sink.
    /// - Returns: Where elements go in, and its result.
    public func add<Element, Result>(
        _ sink: GraphSink<Element, Result>
    ) -> (inlet: Inlet<Element>, result: Result) {
        sink.make(self)
    }

    // MARK: Checking

    /// Checks that every port is connected once, except the ports of the whole.
    func check(exceptOutlet: PortPlace? = nil, exceptInlet: PortPlace? = nil) throws(GraphError) {
        if let error { throw error }
        for (index, stage) in stages.enumerated() {
            for (port, name) in stage.inlets.enumerated() {
                let place = PortPlace(stage: index, port: port)
                guard place == exceptInlet || connectedInlets.contains(place) else { throw .unconnected(port: name) }
            }
            for (port, name) in stage.outlets.enumerated() {
                let place = PortPlace(stage: index, port: port)
                guard place == exceptOutlet || connectedOutlets.contains(place) else { throw .unconnected(port: name) }
            }
        }
    }

    // MARK: Running

    /// Makes islands of the stages that wires connect.
    ///
    /// - Parameters:
    ///   - settings: How to run them.
    ///   - keepsState: Whether they may be saved.
    /// - Returns: What is ready to begin.
    func prepare(_ settings: GraphSettings, keepsState: Bool) -> PreparedGraph {
        var roots = Array(stages.indices)
        func root(_ stage: Int) -> Int {
            var stage = stage
            while roots[stage] != stage {
                roots[stage] = roots[roots[stage]]
                stage = roots[stage]
            }
            return stage
        }
        for connection in connections { roots[root(connection.outlet.stage)] = root(connection.inlet.stage) }
        // Which island a stage belongs to, and its number there.
        var places: [(island: Int, number: Int)] = []
        var members: [[StageDescription]] = []
        var islandOfRoot: [Int: Int] = [:]
        for stage in stages.indices {
            let island = islandOfRoot[root(stage), default: members.count]
            if island == members.count {
                islandOfRoot[root(stage)] = island
                members.append([])
            }
            places.append((island, members[island].count))
            members[island].append(stages[stage])
        }
        var wires: [[WireDescription]] = Array(repeating: [], count: members.count)
        for connection in connections {
            wires[places[connection.outlet.stage].island].append(
                WireDescription(
                    producer: places[connection.outlet.stage].number,
                    outlet: connection.outlet.port,
                    consumer: places[connection.inlet.stage].number,
                    inlet: connection.inlet.port,
                    make: connection.make
                )
            )
        }
        let usesProcessors =
            switch settings.execution {
            case .automatic: members.count > 1
            case .inline: false
            case .processors: true
            }
        let run = GraphRun(settings, keepsState: keepsState)
        var processors: [EventProcessor] = []
        let islands = Swift.zip(members, wires).map { members, wires in
            var processor: EventProcessor?
            if usesProcessors {
                let made = EventProcessor(name: "weir.graph.\(processors.count)")
                do {
                    try made.start()
                    processors.append(made)
                    processor = made
                } catch {
                    // Without a thread of its own the island runs on those of the others.
                }
            }
            let island = Island(run, processor)
            island.confine(members, wires, settings)
            return island
        }
        return PreparedGraph(run: run, islands: islands, processors: processors)
    }
}

/// How to make a wire of an island.
struct WireDescription: Sendable {
    let producer: Int
    let outlet: Int
    let consumer: Int
    let inlet: Int
    let make: @Sendable (WireEnds) -> AnyWire
}

extension Outlet {
    var name: String { builder.name(ofOutlet: port, of: stage) }
}

extension Inlet {
    var name: String { builder.name(ofInlet: port, of: stage) }
}
