public import WeirCore

/// What a stage does when the code that it was given throws.
///
///     source.via(.map(supervision: .resume) { try parse($0) })
public struct Supervision: Sendable {
    /// What to do about one error.
    public enum Directive: Sendable {
        /// End the flow with the error.
        case stop
        /// Leave the element out, and go on.
        case resume
        /// Leave the element out, and go on with the state that the stage had in the beginning.
        case restart
    }

    /// The errors of the elements that were left out, with the elements' times.
    public let leftOut = SideOutput<any Error>()

    @usableFromInline let decide: @Sendable (any Error) -> Directive

    /// Creates a supervision that decides for each error.
    ///
    /// - Parameter decide: Says what to do about an error.
    public init(_ decide: @escaping @Sendable (any Error) -> Directive) {
        self.decide = decide
    }

    /// Ends the flow with the error.
    public static var stop: Supervision { Supervision { _ in .stop } }

    /// Leaves the element out, and goes on.
    public static var resume: Supervision { Supervision { _ in .resume } }

    /// Leaves the element out, and goes on with the state that the stage had in the beginning.
    public static var restart: Supervision { Supervision { _ in .restart } }

    @usableFromInline
    func directive(for error: any Error, at time: Timestamp) -> Directive {
        let directive = decide(error)
        if directive != .stop { leftOut.send(error, at: time) }
        return directive
    }
}
