internal import WeirCore

/// The context in which a stage is created when a graph starts to run.
@usableFromInline
struct StageContext {
    @usableFromInline let inlets: [AnyWire]
    @usableFromInline let outlets: [AnyWire]
    @usableFromInline let island: Island
    @usableFromInline let settings: GraphSettings
    @usableFromInline let index: Int
    @usableFromInline let ready: ReadyStages
    @usableFromInline let state: StageState

    /// The default number of elements that a stage requests at a time.
    @usableFromInline var batch: Int { settings.batch }

    @usableFromInline
    func inlet<Element>(_ place: Int, of type: Element.Type) -> Wire<Element> {
        guard let wire = inlets[place] as? Wire<Element> else {
            preconditionFailure("the port \(inlets[place].inletName) does not take \(Element.self)")
        }
        return wire
    }

    @usableFromInline
    func outlet<Element>(_ place: Int, of type: Element.Type) -> Wire<Element> {
        guard let wire = outlets[place] as? Wire<Element> else {
            preconditionFailure("the port \(outlets[place].outletName) does not give \(Element.self)")
        }
        return wire
    }
}

/// How to make a stage, and what its ports are called.
@usableFromInline
struct StageDescription: Sendable {
    /// A stage: makes progress each time that one of its wires has changed.
    @usableFromInline typealias Step = () -> Void

    let name: String
    let inlets: [String]
    let outlets: [String]
    /// Whether something outside of the graph may give the stage something to do, until its ports are closed.
    let isExternal: Bool
    let make: @Sendable (StageContext) -> Step
}

/// A stage of an island that runs.
struct Stage {
    let name: String
    let step: StageDescription.Step
    let state: StageState
    let isExternal: Bool
    let inlets: [AnyWire]
    let outlets: [AnyWire]

    var isDone: Bool {
        // A stage with an output to the outside is done only when it has forwarded the end and released its inlets.
        inlets.allSatisfy { isExternal ? $0.isCancelled : $0.isOver } && outlets.allSatisfy(\.isOver)
    }

    /// The stage when its island is over: what it kept can still be saved.
    var ended: Stage {
        Stage(name: name, step: {}, state: state, isExternal: isExternal, inlets: inlets, outlets: outlets)
    }
}
