internal import Synchronization
internal import WeirCore

/// What is on its way from the thread that publishes to the context, and the sink at its end.
final class Handover<Element: Sendable>: Sendable {
    enum Message: Sendable {
        case element(Element, Timestamp)
        case watermark(Timestamp)

        init(_ saved: (element: Element?, time: Timestamp)) {
            self = saved.element.map { .element($0, saved.time) } ?? .watermark(saved.time)
        }
    }

    /// What has no place in the ring, and comes after what waits there.
    private struct Ending: Sendable {
        var watermark: Timestamp?
        var completion: Completion?

        mutating func putOff(_ watermark: Timestamp) {
            self.watermark = max(self.watermark ?? watermark, watermark)
        }
    }

    /// What belongs to the context.
    private struct Receiver {
        // Nil when the stream is over.
        var sink: SinkHandle<Element>?
        var watermark = Timestamp.distantPast

        mutating func advance(to watermark: Timestamp) {
            // One that made room may come after a later one.
            guard watermark > self.watermark else { return }
            self.watermark = watermark
            sink?.advance(watermark)
        }
    }

    private let context: ExecutionContext
    private let capacity: Int
    private let policy: OverflowPolicy
    private let dropped: SideOutput<Element>
    private let waiting: SharedRing<Message>
    private let room = Parker()
    private let isWaitingForRoom = Atomic(false)
    private let isScheduled = Atomic(false)
    private let isCancelled = Atomic(false)
    private let ending = Locked(Ending())
    private let receiver = Locked<GatedState<Receiver>?>(nil)

    init<S: Sink>(
        _ sink: S,
        _ context: ExecutionContext,
        _ capacity: Int,
        _ policy: OverflowPolicy,
        _ dropped: SideOutput<Element>
    ) where S.Input == Element {
        SinkTemplate.requireNotTemplate()
        self.context = context
        self.capacity = capacity
        self.policy = policy
        self.dropped = dropped
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a stream cannot be received with a capacity of \(capacity): \(error)")
        }
        let confined = GatedState({ Receiver(sink: SinkHandle(sink)) }) { [weak self] receiver in
            self?.deliver(to: &receiver)
        }
        receiver.withLock { $0 = confined }
    }

    // MARK: From the thread that publishes

    func send(_ element: Element, at time: Timestamp) {
        guard !isOver else { return }
        if policy == .latest { makeRoom(upTo: .max) }
        while !waiting.push(.element(element, time)) {
            switch policy {
            case .block where context.canBeWaitedFor():
                waitForRoom()
                if isOver { return }
            case .block, .dropNewest:
                return dropped.send(element, at: time)
            case .dropOldest, .latest:
                makeRoom(upTo: 1)
            case .fail:
                dropped.send(element, at: time)
                return finish(.failed(ChannelError.overflow(capacity: capacity)))
            }
        }
        schedule()
    }

    private var isOver: Bool {
        isCancelled.load(ordering: .relaxed) || ending.withLock { $0.completion != nil }
    }

    private func makeRoom(upTo most: Int) {
        var made = 0
        while made < most, let old = waiting.pop() {
            made += 1
            switch old {
            case .element(let element, let time): dropped.send(element, at: time)
            case .watermark(let watermark): ending.withLock { $0.putOff(watermark) }
            }
        }
    }

    private func waitForRoom() {
        schedule()
        isWaitingForRoom.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // The reader looks at the flag after it has taken something: either it sees the flag, or there is room here.
        if waiting.count == capacity { room.park() }
    }

    func advance(to watermark: Timestamp) {
        guard !isOver else { return }
        ending.withLock { ending in
            // One that found no place is replaced by this one.
            if ending.watermark != nil || !waiting.push(.watermark(watermark)) { ending.putOff(watermark) }
        }
        schedule()
    }

    func finish(_ completion: Completion) {
        ending.withLock { $0.completion = $0.completion ?? completion }
        schedule()
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        room.unpark()
    }

    private func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        context.perform { self.receiver.withLock { $0 }?.run() }
    }

    // MARK: In the context

    private func deliver(to receiver: inout Receiver) {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        guard let sink = receiver.sink else { return }
        while true {
            let ending = ending.withLock { $0 }
            while let message = waiting.pop() {
                guard !isCancelled.load(ordering: .relaxed) else { return receiver.sink = nil }
                switch message {
                case .element(let element, let time): sink.receive(element, time)
                case .watermark(let watermark): receiver.advance(to: watermark)
                }
                tellOfRoom()
            }
            guard !isCancelled.load(ordering: .relaxed) else { return receiver.sink = nil }
            if let watermark = ending.watermark {
                self.ending.withLock { if $0.watermark == watermark { $0.watermark = nil } }
                receiver.advance(to: watermark)
            } else if let completion = ending.completion {
                receiver.sink = nil
                return sink.finish(completion)
            } else {
                return
            }
        }
    }

    /// Saves what is on its way and the state of the sink at its end, or gives both back; called by what publishes.
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        let gated = receiver.withLock { $0 }
        // Between two signals of the context: nothing is in the middle, and this thread sends nothing meanwhile.
        let isDone: Void? = try gated?.whileIdle(
            postponing: { context.perform { gated?.run() } },
            { (receiver) throws(StateError) in try exchangeState(of: &receiver, &state) }
        )
        guard isDone != nil else { throw .busy("what was received on another context") }
    }

    private func exchangeState(of receiver: inout Receiver, _ state: inout StateExchange) throws(StateError) {
        var messages: [(element: Element?, time: Timestamp)] = []
        if state.isSaving {
            while let message = waiting.pop() {
                switch message {
                case .element(let element, let time): messages.append((element, time))
                case .watermark(let watermark): messages.append((nil, watermark))
                }
            }
            for message in messages { _ = waiting.push(Message(message)) }
        }
        var ending = ending.withLock { $0 }
        var isOver = receiver.sink == nil
        try state.begin("receive")
        try state.exchange(&messages)
        try state.exchange(&ending.watermark)
        try state.exchange(&ending.completion)
        try state.exchange(&receiver.watermark)
        try state.exchange(&isOver)
        try state.exchange(dropped)
        if state.isRestoring {
            for message in messages where !waiting.push(Message(message)) {
                throw .damaged("more than \(capacity) elements wait to be received", offset: 0)
            }
            self.ending.withLock { $0 = ending }
            if isOver { receiver.sink = nil }
        }
        let hasWork = state.isRestoring && (!messages.isEmpty || ending.watermark != nil || ending.completion != nil)
        try receiver.sink?.exchangeState(&state)
        if hasWork { schedule() }
    }

    private func tellOfRoom() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard isWaitingForRoom.load(ordering: .relaxed), waiting.count <= capacity / 2,
            isWaitingForRoom.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        room.unpark()
    }
}

/// Leaves what it receives for a context.
struct HandoverSink<Input: Sendable>: Sink {
    let handover: Handover<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        handover.send(copy element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        handover.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        handover.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try handover.exchangeState(&state)
    }
}
