/// Shows operators whether the chain of sinks that is being attached is a template, of which copies will run.
///
/// Copies of a chain own what its sinks hold as values and share its objects. So an operator whose state is in an object
/// cannot be part of a template. The compiler rejects those that are no ``GroupableStream``; this is the check of those
/// that claim to be one.
@usableFromInline
package enum SinkTemplate {
    private enum Kind {
        /// Copies of it will run.
        case copied
        /// It runs itself, on the elements of one stream alone.
        case alone
    }

    @TaskLocal private static var kind: Kind?

    /// Attaches a template; `attach` does so before it returns.
    @usableFromInline
    package static func attach(_ attach: () -> Void) {
        requireNotTemplate()
        $kind.withValue(.copied, operation: attach)
    }

    /// Attaches a chain that may have no other stream than that which drives it; `attach` does so before it returns.
    package static func attachAlone<Result>(_ attach: () -> Result) -> Result {
        requireNotCopied()
        return $kind.withValue(.alone, operation: attach)
    }

    /// Traps if an operator that has several streams, or a thread of its own, is for a template or a chain that has none.
    @usableFromInline
    package static func requireNotTemplate() {
        requireNotCopied()
        precondition(
            kind != .alone,
            """
            a pipeline of `during` has one stream and one thread: put what joins, shares, switches or delays streams before \
            or behind it
            """
        )
    }

    /// Traps if the object that is being created, whose state copies would share, is for a template.
    @usableFromInline
    package static func requireNotCopied() {
        precondition(
            kind != .copied,
            """
            an operator that keeps its state in an object cannot be copied for each group, though it conforms to \
            GroupableStream: put it before or behind `grouped(by:)`
            """
        )
    }
}
