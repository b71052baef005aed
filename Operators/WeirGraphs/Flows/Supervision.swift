public import WeirCore

/// What a stage does when its closure throws.
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

    /// The errors of the dropped elements, with the elements' times.
    public let leftOut = SideOutput<any Error>()

    @usableFromInline let decide: @Sendable (any Error) -> Directive

    /// Creates a supervision that decides for each error.
    ///
    /// - Parameter decide: Returns the directive for an error.
    public init(_ decide: @escaping @Sendable (any Error) -> Directive) {
        self.decide = decide
    }

    /// Ends the flow with the error.
    public static var stop: Supervision { Supervision { _ in .stop } }

    /// Drops the element, and continues.
    public static var resume: Supervision { Supervision { _ in .resume } }

    /// Drops the element, and continues with the stage's initial state.
    public static var restart: Supervision { Supervision { _ in .restart } }

    @usableFromInline
    func directive(for error: any Error, at time: Timestamp) -> Directive {
        let directive = decide(error)
        if directive != .stop { leftOut.send(error, at: time) }
        return directive
    }
}
