/// Shows operators whether the chain of sinks that is being attached is a template, of which copies will run.
///
/// Copies of a chain own what its sinks hold as values and share its objects. So an operator whose state is in an object
/// cannot be part of a template. The compiler rejects those that are no ``GroupableStream``; this is the check of those
/// that claim to be one.
@usableFromInline
package enum SinkTemplate {
    @TaskLocal private static var isBeingAttached = false

    /// Attaches a template; `attach` does so before it returns.
    @usableFromInline
    package static func attach(_ attach: () -> Void) {
        requireNotTemplate()
        $isBeingAttached.withValue(true, operation: attach)
    }

    /// Traps if the object that is being created, whose state copies would share, is for a template.
    @usableFromInline
    package static func requireNotTemplate() {
        precondition(
            !isBeingAttached,
            """
            an operator that keeps its state in an object cannot be copied for each group, though it conforms to \
            GroupableStream: put it before or behind `grouped(by:)`
            """
        )
    }
}
