public import Synchronization

/// A sink that is attached to a channel, behind closures that were formed where its type was known.
///
/// All properties are constants of a class: the channel calls the closures through an unretained reference, without
/// touching a reference count.
@usableFromInline
final class Subscriber<Element: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the closures are called from inside the channel's gate only, so by one thread
    // at a time; the sink that they work on is itself `Sendable`.

    /// Takes one element, without checking ``isOver``.
    @usableFromInline let receive: (Element) -> Void

    /// Set when the sink is detached: what the subscription says, where it is read anyway.
    @usableFromInline let isOver = Atomic<Bool>(false)

    /// Takes the elements of a batch in order.
    @usableFromInline let receiveBatch: (Span<Element>) -> Void

    /// Takes a watermark.
    @usableFromInline let advance: (Timestamp) -> Void

    /// Takes the end of the stream.
    @usableFromInline let finish: (Completion) -> Void

    /// Saves the state of the sink, or gives it back.
    @usableFromInline let exchange: (inout StateExchange) throws(StateError) -> Void

    /// Whether the sink knows what the channel has said before it came; only inside the gate.
    var hasStarted = false

    /// Puts a sink behind closures.
    ///
    /// `inside` is that of the channel, which calls the closures, and so is there.
    @inlinable
    init<S: Sink>(
        _ sink: consuming S,
        _ subscription: Subscription,
        _ inside: UnsafeMutablePointer<EventChannel<Element>.Inside>
    ) where S.Input == Element {
        let box = SharedCell(driven: sink)
        // The box only keeps what it points to: one step less on the way to the sink.
        let value = unsafe box.pointer
        receive = { element in
            let time = unsafe EventTime.of(element, otherwise: inside.pointee.arrival)
            unsafe value.pointee.receive(element, at: time)
            withExtendedLifetime(box) {}
        }
        receiveBatch = { batch in
            box.withLocal { sink in
                let wantsPrefetch = sink.wantsPrefetch
                for index in batch.indices {
                    guard !subscription.isCancelled else { return }
                    if wantsPrefetch { Self.lookAhead(sink, batch, index) }
                    let time = unsafe EventTime.of(batch[index], otherwise: inside.pointee.arrival)
                    sink.receive(batch[index], at: time)
                }
            }
        }
        advance = { watermark in
            guard !subscription.isCancelled else { return }
            unsafe box.pointer.pointee.advance(to: watermark)
        }
        finish = { completion in
            guard !subscription.isCancelled else { return }
            unsafe box.pointer.pointee.finish(completion)
        }
        exchange = { state throws(StateError) in unsafe try box.pointer.pointee.exchangeState(&state) }
    }

    /// Shows a sink the elements that come eight and sixteen places behind an index: as many as the memory brings
    /// at a time.
    @inlinable
    static func lookAhead<S: Sink>(_ sink: borrowing S, _ batch: Span<Element>, _ index: Int)
    where S.Input == Element {
        if index + 16 < batch.count { sink.prefetch(for: batch[index + 16], isNear: false) }
        if index + 8 < batch.count { sink.prefetch(for: batch[index + 8], isNear: true) }
    }
}
