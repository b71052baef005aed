internal import CWeir
internal import Synchronization

extension EventChannel {
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let id = reserveID()
        let subscription = Subscription { [weak self] in self?.remove(id) }
        unsafe add(Subscriber(sink, subscription, inside), id)
        return subscription
    }

    @usableFromInline
    func reserveID() -> UInt64 {
        nextSubscriberID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Adds a subscriber; one that comes after the end is told so at once.
    @usableFromInline
    func add(_ subscriber: Subscriber<Element>, _ id: UInt64) {
        let reserved = SinkNumbers.number(in: self) {
            registration.withLock { registration in
                registration.lastNumber += 1
                return registration.lastNumber
            }
        }
        let (completion, unused) = registration.withLock { registration in
            guard registration.completion == nil else {
                return (registration.completion, nil as ObjectTable<Subscriber<Element>>?)
            }
            var number = reserved.number
            if reserved.isKnown, registration.subscribers.contains(where: { $0.number == number }) {
                registration.lastNumber += 1
                number = registration.lastNumber
            }
            let place = registration.subscribers.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
            registration.subscribers.insert((id, number, subscriber), at: place)
            registration.hasHadSubscribers = true
            needsGate.store(true, ordering: .relaxed)
            return (nil, offerTable(registration))
        }
        // Outside the lock, here and below: what goes with a table is foreign.
        withExtendedLifetime(unused) {}
        if let completion {
            subscriber.finish(completion)
        } else {
            enterAndDrain()
        }
    }

    /// Removes a subscriber, if it is still there.
    @usableFromInline
    func remove(_ id: UInt64) {
        let unused = registration.withLock { registration in
            let index = registration.subscribers.firstIndex { $0.id == id }
            let removed = index.map { registration.subscribers.remove(at: $0).subscriber }
            removed?.isOver.store(true, ordering: .relaxed)
            let replaced = offerTable(registration)
            if registration.subscribers.isEmpty, registration.requestedCompletion == nil {
                needsGate.store(looksAtEach, ordering: .relaxed)
            }
            return (removed, replaced)
        }
        withExtendedLifetime(unused) {}
        // What was detached is released at once, or by the thread inside when it leaves.
        enterAndDrain()
    }

    /// Offers a new table to the thread inside the gate; returns the one before, if it was not taken.
    func offerTable(_ registration: Registration) -> ObjectTable<Subscriber<Element>>? {
        let new = unsafe Unmanaged.passRetained(ObjectTable(registration.subscribers.map(\.subscriber)))
        guard let old = unsafe cweir_handoff_put(incomingTable, new.toOpaque()) else { return nil }
        return unsafe Unmanaged.fromOpaque(old).takeRetainedValue()
    }

    /// Adds a listener that every publisher calls itself.
    @usableFromInline
    package func addReceiver(_ receive: @escaping @Sendable (Element, EventContext) -> Void) -> UInt64 {
        let id = reserveID()
        let unused = registration.withLock { registration in
            registration.receivers.append(Receiver(id: id, receive: receive))
            return receivers.replace(with: ObjectTable(registration.receivers))
        }
        withExtendedLifetime(unused) {}
        return id
    }

    @usableFromInline
    package func removeReceiver(_ id: UInt64) {
        let unused = registration.withLock { registration in
            let index = registration.receivers.firstIndex { $0.id == id }
            let removed = index.map { registration.receivers.remove(at: $0) }
            let isEmpty = registration.receivers.isEmpty
            return (removed, receivers.replace(with: isEmpty ? nil : ObjectTable(registration.receivers)))
        }
        withExtendedLifetime(unused) {}
    }

    /// Inside the gate only, or when no other thread has the channel.
    @usableFromInline
    func takeTable() {
        while let new = unsafe cweir_handoff_take(incomingTable) {
            let old = unsafe inside.pointee.table
            unsafe inside.pointee.table = .fromOpaque(new)
            unsafe old.release()
            startNewcomers()
        }
    }

    /// Replays to new subscribers what still holds: the latest event and the watermark.
    func startNewcomers() {
        unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
            table.forEach { subscriber in
                guard !subscriber.hasStarted else { return }
                subscriber.hasStarted = true
                if let latest = unsafe inside.pointee.latest, !subscriber.isOver.load(ordering: .relaxed) {
                    subscriber.receive(latest)
                }
                let watermark = unsafe inside.pointee.watermark
                if watermark > .distantPast { subscriber.advance(watermark) }
            }
        }
    }
}
