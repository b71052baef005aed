/// Whether the chain of sinks that is being attached is a prototype, of which copies will run.
///
/// Copies of a chain have all that its sinks hold as values to themselves, and share its objects. So an operator whose state
/// is in an object cannot be part of a prototype: the copies would all work on that one state.
@usableFromInline
package enum Prototype {
    @TaskLocal private static var isBeingMade = false

    /// Attaches a chain that is a prototype.
    ///
    /// - Parameter attach: Attaches it, before it returns.
    @usableFromInline
    package static func make(_ attach: () -> Void) {
        refuse()
        $isBeingMade.withValue(true, operation: attach)
    }

    /// Traps when what is being made, whose state copies would share, is for a prototype.
    @usableFromInline
    package static func refuse() {
        precondition(
            !isBeingMade,
            """
            what joins, shares, moves, retries or groups streams, or finds patterns in them, has a state that cannot be \
            copied for each group: put it before or behind `grouped(by:)`, not into the groups' pipeline
            """
        )
    }
}
