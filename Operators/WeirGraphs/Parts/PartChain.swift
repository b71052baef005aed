internal import WeirCore

/// Any number of parts in a chain: adding and releasing them takes a loop, not recursion.
@usableFromInline
final class PartChain: Sendable {
    /// Puts a part into a graph, behind the outlet that it is given, and gives its own outlet.
    @usableFromInline typealias Part = @Sendable (GraphBuilder, PortPlace) -> PortPlace

    private let previous: Locked<PartChain?>
    private let part: Part

    @usableFromInline
    init(_ previous: PartChain?, _ part: @escaping Part) {
        self.previous = Locked(previous)
        self.part = part
    }

    deinit {
        var rest = takePrevious()
        while isKnownUniquelyReferenced(&rest) { rest = rest?.takePrevious() }
    }

    private func takePrevious() -> PartChain? {
        previous.withLock { previous in
            defer { previous = nil }
            return previous
        }
    }

    /// Puts all parts into a graph, the first one behind an outlet.
    ///
    /// - Returns: The last part's outlet.
    @usableFromInline
    func add(behind outlet: PortPlace, to builder: GraphBuilder) -> PortPlace {
        var links = [self]
        while let previous = links[links.count - 1].previous.withLock({ $0 }) { links.append(previous) }
        return links.reversed().reduce(outlet) { $1.part(builder, $0) }
    }
}

/// Which port of a graph: the stage's number, and the port's among those of its kind.
@frozen
@usableFromInline
struct PortPlace: Hashable, Sendable {
    @usableFromInline let stage: Int
    @usableFromInline let port: Int

    @inlinable
    init(stage: Int, port: Int) {
        self.stage = stage
        self.port = port
    }
}

extension Flow {
    /// The chain with this flow at its end.
    @inlinable
    func chained(behind previous: PartChain?) -> PartChain {
        PartChain(previous) { builder, place in
            let ports = make(builder).ports
            builder.connect(Outlet<Input>(builder, place.stage, place.port), to: ports.inlet)
            return ports.outlet.place
        }
    }
}

extension Outlet {
    @inlinable var place: PortPlace { PortPlace(stage: stage, port: port) }
}

extension Inlet {
    @inlinable var place: PortPlace { PortPlace(stage: stage, port: port) }
}
