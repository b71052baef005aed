/// A sink that is attached to a channel, behind closures that were formed where its type was known.
///
/// All properties are constants of a class: the channel calls the closures through an unretained reference, without
/// touching a reference count.
@usableFromInline
final class Subscriber<Element: Event>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the closures are called from inside the channel's gate only, so by one thread
    // at a time; the sink that they work on is itself `Sendable`.

    /// Takes one element.
    @usableFromInline let receive: (Element) -> Void

    /// Takes the elements of a batch in order.
    @usableFromInline let receiveBatch: (Span<Element>) -> Void

    /// Takes a watermark.
    @usableFromInline let advance: (Timestamp) -> Void

    /// Takes the end of the stream.
    @usableFromInline let finish: (Completion) -> Void

    /// Puts a sink behind closures.
    ///
    /// - Parameters:
    ///   - sink: The sink.
    ///   - subscription: Asked before each element whether the sink is still wanted.
    @inlinable
    init<S: Sink>(_ sink: consuming S, _ subscription: Subscription) where S.Input == Element {
        let box = StateBox(sink)
        receive = { element in
            guard !subscription.isCancelled else { return }
            unsafe box.value.pointee.receive(element, at: element.timestamp)
        }
        receiveBatch = { batch in
            box.withLocal { sink in
                for index in batch.indices {
                    guard !subscription.isCancelled else { return }
                    sink.receive(batch[index], at: batch[index].timestamp)
                }
            }
        }
        advance = { watermark in
            guard !subscription.isCancelled else { return }
            unsafe box.value.pointee.advance(to: watermark)
        }
        finish = { completion in
            guard !subscription.isCancelled else { return }
            unsafe box.value.pointee.finish(completion)
        }
    }
}

/// The subscribers of a channel at one moment; never changed, only replaced.
@safe
@usableFromInline
final class SubscriberTable<Element: Event>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: every property is a constant, and the memory is written only by `init`.

    @usableFromInline let count: Int
    @usableFromInline let subscribers: UnsafeMutablePointer<Unmanaged<Subscriber<Element>>>

    init(_ list: [Subscriber<Element>]) {
        count = list.count
        unsafe subscribers = .allocate(capacity: max(1, list.count))
        for (index, subscriber) in list.enumerated() {
            unsafe (subscribers + index).initialize(to: .passRetained(subscriber))
        }
    }

    deinit {
        for index in 0..<count {
            unsafe subscribers[index].release()
        }
        unsafe subscribers.deallocate()
    }

    /// Calls `body` with each subscriber, without retaining it: the table does.
    @inlinable
    func forEach(_ body: (Subscriber<Element>) -> Void) {
        for index in 0..<count {
            unsafe subscribers[index]._withUnsafeGuaranteedRef(body)
        }
    }
}
