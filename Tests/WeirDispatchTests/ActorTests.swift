import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirSelection
import WeirTesting

private struct Number: Sendable {
    var value: Int
}

private final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func increment() { number.add(1, ordering: .sequentiallyConsistent) }
}

/// Remembers, without being `Sendable`, and insists on being released where it lives.
private final class Notebook {
    var lines: [Int] = []
    let released: Counter

    init(released: Counter) {
        self.released = released
    }

    deinit {
        MainActor.preconditionIsolated("released elsewhere")
        released.increment()
    }
}

private actor Collector {
    private(set) var seen: [Int] = []
    private let bag = SubscriptionBag()

    func follow(_ stream: some EventStream<Number>) {
        stream.subscribeOnActor { [weak self] number in self?.assumeIsolated { $0.note(number.value) } }.store(in: bag)
    }

    func listen(to bus: EventBus) {
        bus.listenOnActor(to: Number.self) { [weak self] number, context in
            self?.assumeIsolated { $0.note(context.priority == .high ? -number.value : number.value) }
        }.store(in: bag)
    }

    func listen(to channel: EventChannel<Number>) {
        channel.listenOnActor { [weak self] number, context in
            self?.assumeIsolated { $0.note(context.priority == .high ? -number.value : number.value) }
        }.store(in: bag)
    }

    private func note(_ value: Int) {
        assertIsolated()
        seen.append(value)
    }

    func cancel() -> Int {
        bag.cancel()
        return seen.count
    }
}

/// Callbacks on actors.
@Suite struct ActorTests {
    @Test func anActorHearsAllInOrder() async {
        let channel = EventChannel<Number>()
        let collector = Collector()
        await collector.follow(channel.filter { $0.value % 2 == 0 })
        for value in 0..<1000 { channel.publish(Number(value: value)) }
        #expect(await eventually { await collector.seen.count == 500 })
        #expect(await collector.seen == Array(stride(from: 0, to: 1000, by: 2)))
    }

    @Test func whatThreadsPublishKeepsTheOrderOfEach() async {
        let channel = EventChannel<Number>()
        let collector = Collector()
        await collector.follow(channel)
        TestThreads.run(
            (0..<4).map { thread in { for value in 0..<200 { channel.publish(Number(value: thread * 1000 + value)) } } }
        )
        #expect(await eventually { await collector.seen.count == 800 })
        let seen = await collector.seen
        for thread in 0..<4 {
            #expect(seen.filter { $0 / 1000 == thread } == (0..<200).map { thread * 1000 + $0 })
        }
    }

    @Test func noCallFollowsACancellationOnTheActor() async {
        let channel = EventChannel<Number>()
        let collector = Collector()
        await collector.follow(channel)
        let publisher = Task.detached {
            for value in 0..<100_000 where !Task.isCancelled { channel.publish(Number(value: value)) }
        }
        #expect(await eventually { await !collector.seen.isEmpty })
        let count = await collector.cancel()
        publisher.cancel()
        await publisher.value
        for _ in 0..<100 { await Task.yield() }
        #expect(await collector.seen.count == count)
    }

    @Test func anActorIsNotKeptAlive() async {
        let channel = EventChannel<Number>()
        let handled = Counter()
        final class Token: Sendable {}
        weak var token: Token?
        weak var gone: Collector?
        do {
            actor Owner {
                func follow(_ channel: EventChannel<Number>, _ handled: Counter, _ token: Token) {
                    channel.subscribeOnActor { _ in withExtendedLifetime(token) { handled.increment() } }
                }
            }
            let owner = Owner()
            let made = Token()
            token = made
            await owner.follow(channel, handled, made)
            channel.publish(Number(value: 1))
            #expect(await eventually { handled.count == 1 })
            let collector = Collector()
            gone = collector
            await collector.follow(channel)
        }
        #expect(await eventually { gone == nil })
        // The first element after that detaches; the handler goes with the subscription.
        #expect(
            await eventually {
                channel.publish(Number(value: 2))
                return token == nil
            }
        )
        #expect(handled.count == 1)
    }

    @Test @MainActor func theMainActorMayUseWhatIsItsOwn() async {
        let channel = EventChannel<Number>()
        let released = Counter()
        var notebook: Notebook? = Notebook(released: released)
        weak let weakNotebook = notebook
        if let notebook {
            channel.subscribeOnActor { number in
                MainActor.preconditionIsolated()
                notebook.lines.append(number.value)
            }
        }
        notebook = nil
        await Task.detached { for value in 1...3 { channel.publish(Number(value: value)) } }.value
        #expect(await eventually { weakNotebook?.lines.count == 3 })
        #expect(weakNotebook?.lines == [1, 2, 3])
        // The end comes on another thread; the handler is released here.
        await Task.detached { channel.finish() }.value
        #expect(await eventually { released.count == 1 })
    }

    @Test @MainActor func aHandlerIsReleasedOnItsActorWhereverItsStreamGoes() async {
        let released = Counter()
        var channel: EventChannel<Number>? = EventChannel<Number>()
        do {
            let notebook = Notebook(released: released)
            channel?.subscribeOnActor { notebook.lines.append($0.value) }
        }
        let last = Locked(channel.take())
        await Task.detached { _ = last.withLock { $0.take() } }.value
        #expect(await eventually { released.count == 1 })
    }

    @Test func aStreamMovesToTheMainActor() async {
        let channel = EventChannel<Number>()
        let seen = Locked<[Int]>([])
        let ended = Locked(false)
        channel.receive(on: .mainActor).filter { $0.value > 1 }.subscribeWithTime { number, _ in
            MainActor.preconditionIsolated()
            seen.withLock { $0.append(number.value) }
        } onCompletion: { _ in
            ended.withLock { $0 = true }
        }
        for value in 1...5 { channel.publish(Number(value: value)) }
        channel.finish()
        #expect(await eventually { ended.withLock { $0 } })
        #expect(seen.withLock { $0 } == [2, 3, 4, 5])
    }

    @Test func aStreamMovesToAnActor() async {
        let channel = EventChannel<Number>()
        let collector = Collector()
        let seen = Locked<[Int]>([])
        channel.receive(on: .actor(collector)).subscribe { number in
            collector.assertIsolated()
            seen.withLock { $0.append(number.value) }
        }
        for value in 1...5 { channel.publish(Number(value: value)) }
        #expect(await eventually { seen.withLock { $0 } == [1, 2, 3, 4, 5] })
    }

    @Test func anActorListensToAChannel() async {
        let channel = EventChannel<Number>()
        let collector = Collector()
        await collector.listen(to: channel)
        channel.publish(Number(value: 1))
        channel.queue(Number(value: 2), priority: .high)
        #expect(await eventually { await collector.seen.count == 2 })
        #expect(await collector.seen == [1, -2])
        #expect(await collector.cancel() == 2)
    }

    /// What an operator could not use reaches an actor by way of a channel.
    @Test func aSideOutputReachesTheMainActor() async {
        let late = SideOutput<Number>()
        let channel = EventChannel<Number>()
        let subscription = late.forward(to: channel)
        let seen = Locked<[Int]>([])
        channel.receive(on: .mainActor).subscribe { number in
            MainActor.preconditionIsolated()
            seen.withLock { $0.append(number.value) }
        }
        for value in 1...3 { late.send(Number(value: value), at: .epoch) }
        subscription.cancel()
        late.send(Number(value: 4), at: .epoch)
        #expect(await eventually { seen.withLock { $0 } == [1, 2, 3] })
    }

    @Test func whatFindsNoRoomIsOffered() async {
        let channel = EventChannel<Number>()
        let dropped = SideOutput<Number>()
        let lost = Locked<[Int]>([])
        dropped.subscribe { number in lost.withLock { $0.append(number.value) } }
        actor Slow {
            func follow(_ channel: EventChannel<Number>, _ dropped: SideOutput<Number>) {
                channel.subscribeOnActor(capacity: 4, dropped: dropped) { _ in }
                // The actor is busy with this very call.
                for value in 0..<10 { channel.publish(Number(value: value)) }
            }
        }
        let slow = Slow()
        await slow.follow(channel, dropped)
        #expect(lost.withLock { $0 } == [4, 5, 6, 7, 8, 9])
        #expect(dropped.count == 6)
    }

    @Test func anActorListensToABus() async {
        let bus = EventBus()
        let collector = Collector()
        await collector.listen(to: bus)
        bus.queue(Number(value: 1))
        bus.queue(Number(value: 2), priority: .high)
        #expect(await eventually { await collector.seen.count == 2 })
        #expect(await collector.seen == [1, -2])
        #expect(await collector.cancel() == 2)
        bus.publish(Number(value: 3))
        for _ in 0..<100 { await Task.yield() }
        #expect(await collector.seen.count == 2)
    }
}
