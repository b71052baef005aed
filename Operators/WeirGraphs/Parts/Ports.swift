/// The outlet of a part of a graph that is being built.
public struct Outlet<Element: Sendable> {
    @usableFromInline let builder: GraphBuilder
    @usableFromInline let stage: Int
    @usableFromInline let port: Int

    @usableFromInline
    init(_ builder: GraphBuilder, _ stage: Int, _ port: Int) {
        self.builder = builder
        self.stage = stage
        self.port = port
    }
}

/// Where elements go into a part of a graph that is being built.
public struct Inlet<Element: Sendable> {
    @usableFromInline let builder: GraphBuilder
    @usableFromInline let stage: Int
    @usableFromInline let port: Int

    @usableFromInline
    init(_ builder: GraphBuilder, _ stage: Int, _ port: Int) {
        self.builder = builder
        self.stage = stage
        self.port = port
    }
}

/// The ports of a part with one inlet and one outlet.
public struct FlowPorts<Input: Sendable, Output: Sendable> {
    /// Where elements go in.
    public let inlet: Inlet<Input>

    /// The outlet.
    public let outlet: Outlet<Output>

    /// Combines a part's two ports for use in a chain.
    ///
    /// - Parameters:
    ///   - inlet: Where elements go in.
    ///   - outlet: The outlet.
    @inlinable
    public init(_ inlet: Inlet<Input>, _ outlet: Outlet<Output>) {
        self.inlet = inlet
        self.outlet = outlet
    }
}

/// The ports of a junction with several inlets and one outlet.
public struct FanIn<Input: Sendable, Output: Sendable> {
    /// Where elements go in.
    public let inlets: [Inlet<Input>]

    /// The outlet.
    public let outlet: Outlet<Output>

    @usableFromInline
    init(_ inlets: [Inlet<Input>], _ outlet: Outlet<Output>) {
        self.inlets = inlets
        self.outlet = outlet
    }
}

/// The ports of a junction with one inlet and several outlets.
public struct FanOut<Element: Sendable> {
    /// Where elements go in.
    public let inlet: Inlet<Element>

    /// The outlet.
    public let outlets: [Outlet<Element>]

    @usableFromInline
    init(_ inlet: Inlet<Element>, _ outlets: [Outlet<Element>]) {
        self.inlet = inlet
        self.outlets = outlets
    }
}

/// The ports of a junction that takes two kinds of elements.
public struct Pairing<First: Sendable, Second: Sendable, Output: Sendable> {
    /// Where the first kind goes in.
    public let first: Inlet<First>

    /// Where the second kind goes in.
    public let second: Inlet<Second>

    /// The outlet.
    public let outlet: Outlet<Output>

    @usableFromInline
    init(_ first: Inlet<First>, _ second: Inlet<Second>, _ outlet: Outlet<Output>) {
        self.first = first
        self.second = second
        self.outlet = outlet
    }
}

/// The ports of a junction that gives two kinds of elements.
public struct Parting<Input: Sendable, First: Sendable, Second: Sendable> {
    /// Where elements go in.
    public let inlet: Inlet<Input>

    /// The outlet of the first kind.
    public let first: Outlet<First>

    /// The outlet of the second kind.
    public let second: Outlet<Second>

    @usableFromInline
    init(_ inlet: Inlet<Input>, _ first: Outlet<First>, _ second: Outlet<Second>) {
        self.inlet = inlet
        self.first = first
        self.second = second
    }
}
