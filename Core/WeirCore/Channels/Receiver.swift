/// A listener of a channel that takes care of threads itself: it is called by every publisher, at the same time.
///
/// Processors and the other execution contexts are receivers: all they do on the publisher's thread is to put the
/// event into a mailbox of their own.
@usableFromInline
final class Receiver<Element: Sendable>: Sendable {
    let id: UInt64

    /// Takes one event; called by any thread, many at once.
    @usableFromInline let receive: @Sendable (Element, EventContext) -> Void

    init(id: UInt64, receive: @escaping @Sendable (Element, EventContext) -> Void) {
        self.id = id
        self.receive = receive
    }
}
