import Observation
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@testable import WeirSignals

private struct Reading: Event, Equatable {
    let timestamp: Timestamp
    let value: Int

    init(_ value: Int) {
        timestamp = Timestamp(secondsSinceEpoch: Int64(value))
        self.value = value
    }
}

@Suite struct BridgeTests {
    @Test @MainActor func aStreamBecomesASignalOfTheActor() async {
        let channel = EventChannel<Reading>()
        var value: Signal<Reading>? = channel.signal(initial: Reading(0))
        let double = value.map { value in Signal { value().value * 2 } }
        channel.publish(Reading(7))
        #expect(await eventually { value?().value == 7 })
        #expect(double?() == 14)
        for number in 8...100 { channel.publish(Reading(number)) }
        #expect(await eventually { value?().value == 100 })
        #expect(double?() == 200)
        value = nil
    }

    @Test @MainActor func theStreamIsDetachedWithTheSignal() async {
        let subject = Multicast<Int>()
        let observed = Observed()
        var value: Signal<Int>? = TappedStream(subject, observed).signal(initial: 0)
        #expect(value?() == 0)
        #expect(observed.subscription.withLock { $0?.isCancelled } == false)
        value = nil
        #expect(await eventually { observed.subscription.withLock { $0?.isCancelled } == true })
    }

    @Test func signalsAreHostedByAStream() {
        let channel = EventChannel<Reading>()
        let output = EventChannel<Reading>()
        let recorder = Recorder<Reading>(output)
        let subscription = channel.hostSignals(initial: Reading(0)) { reading, bag in
            let square = Signal { reading().value * reading().value }
            let isOdd = Signal { reading().value % 2 == 1 }
            let both = Signal { isOdd() ? square() : 0 }
            both.observe { output.publish(Reading($0)) }.store(in: bag)
        }
        for value in 1...4 { channel.publish(Reading(value)) }
        #expect(recorder.elements.map(\.value) == [1, 0, 9, 0])
        subscription.cancel()
        channel.publish(Reading(5))
        #expect(recorder.elements.count == 4)
    }

    @Test func hostedSignalsMayBeCarriedByManyThreads() throws {
        let subject = Multicast<Int>()
        let seen = Locked<[Int]>([])
        subject.hostSignals(initial: 0) { number, bag in
            let next = number.map { $0 + 1 }
            let tenfold = Signal { next() * 10 }
            tenfold.observe { value in seen.withLock { $0.append(value) } }.store(in: bag)
        }
        // New threads, which have all carried as few changes as each other.
        for number in 1...20 {
            let processor = EventProcessor(name: "carrier")
            try processor.start()
            let done = Parker()
            processor.perform {
                subject.send(number, at: .epoch)
                done.unpark()
            }
            done.park()
            processor.stop(.now)
        }
        #expect(seen.withLock { $0 } == (1...20).map { ($0 + 1) * 10 })
    }

    @Test func hostedSignalsGoWithTheStream() {
        final class Token: Sendable {}
        let subject = Multicast<Int>()
        let token = WeakToken()
        subject.hostSignals(initial: 0) { _, _ in
            let made = Token()
            token.object.withLock { $0 = WeakReference(made) }
            return made
        }
        #expect(token.isAlive)
        subject.finish()
        #expect(!token.isAlive)
    }

    @Test func changesAreAStream() {
        let clock = VirtualClock()
        let recorder = Recorder<Int>()
        do {
            let number = MutableSignal(1)
            let parity = number.map { $0 % 2 }
            parity.changes(stampedBy: EventClock(clock)).attach(recorder.sink)
            clock.advance(by: .seconds(1))
            number.value = 2
            number.value = 4
            clock.advance(by: .seconds(1))
            transaction {
                number.value = 6
                number.value = 7
            }
        }
        #expect(recorder.elements == [0, 1])
        #expect(recorder.times == [1, 2].map { Timestamp(secondsSinceEpoch: $0) })
        #expect(recorder.isFinished, "the stream ends with its signal")
    }

    @Test @MainActor func valuesAreAnAsyncSequence() async {
        var number: MutableSignal<Int>? = MutableSignal(1)
        guard let values = number?.droppingValues(.oldest(10)) else { return }
        number?.value = 2
        number?.value = 3
        number = nil
        var seen: [Int] = []
        for await value in values { seen.append(value) }
        #expect(seen == [1, 2, 3])
    }

    /// An ended reader of the changes or values of a signal must be removed even if the signal never changes.
    @Test func readersThatComeAndGoLeaveNothingBehind() {
        let number = MutableSignal(1)
        for _ in 0..<1000 {
            _ = number.droppingValues()
            let recorder = Recorder<Int>()
            number.changes.attach(recorder.sink).cancel()
        }
        #expect(number.node.audience.followerCount <= 32)
        // The remaining ones are notified, also of the end.
        let recorder = Recorder<Int>()
        number.changes.attach(recorder.sink)
        number.value = 2
        #expect(recorder.elements == [2])
        #expect(number.node.audience.followerCount <= 1)
    }

    @Test @MainActor func anAsyncSequenceBecomesASignal() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let latest = stream.signal(initial: 0)
        let double = latest.map { $0 * 2 }
        continuation.yield(4)
        #expect(await eventually { double() == 8 })
        continuation.finish()
    }

    @Test func anObservableIsToldOfChanges() {
        let number = MutableSignal(1)
        let observable = ObservableSignal(number.map { $0 / 2 })
        let told = Told()
        func track() -> Int {
            withObservationTracking({ observable.value }, onChange: { told.count.withLock { $0 += 1 } })
        }
        #expect(track() == 0)
        number.value = 0
        #expect(told.count.withLock { $0 } == 0)
        number.value = 2
        #expect(told.count.withLock { $0 } == 1)
        #expect(track() == 1)
        observable.cancel()
        number.value = 20
        #expect(observable.value == 1)
    }

    @Test @MainActor func aPropertyOfAnObservableObjectIsASignal() async {
        var model: Model? = Model()
        weak let gone = model
        var name: Signal<String>? = model.map { Signal(observing: $0, \.name) }
        let length = name.map { name in Signal { name().count } }
        #expect(name?() == "" && length?() == 0)
        model?.name = "weir"
        model?.other = 1
        model?.name = "weirs"
        #expect(await eventually { name?() == "weirs" })
        #expect(length?() == 5)
        // Each change is followed, not only the first.
        for number in 1...10 {
            model?.name = String(repeating: "x", count: number)
            #expect(await eventually { length?() == number })
        }
        model = nil
        name = nil
        #expect(gone != nil && length?() == 10, "what reads the signal keeps it, and the object")
    }

    @Test @MainActor func anObservedObjectIsLetGoWithTheSignal() async {
        weak var gone: Model?
        do {
            let model = Model()
            gone = model
            let name = Signal(observing: model, \.name)
            model.name = "a"
            #expect(await eventually { name() == "a" })
        }
        #expect(await eventually { gone == nil })
    }

    @Test func anEndingSignalLeaksNothing() {
        let root = MutableSignal(0)
        weak var leaked: Counter?
        do {
            let counter = Counter()
            leaked = counter
            let derived = Signal { () -> Int in
                counter.count += 1
                return root()
            }
            let above = derived.map { $0 + 1 }
            let observation = above.observe { _ in counter.count += 1 }
            root.value = 1
            observation.cancel()
        }
        #expect(leaked == nil)
    }
}

@Observable @MainActor
private final class Model {
    var name = ""
    var other = 0
}

private final class Told: Sendable {
    let count = Locked(0)
}

private final class Observed: Sendable {
    let subscription = Locked<Subscription?>(nil)
}

/// Remembers the subscription that attaching gave.
private struct TappedStream: EventStream {
    typealias Element = Int

    let upstream: Multicast<Int>
    let observed: Observed

    init(_ upstream: Multicast<Int>, _ observed: Observed) {
        self.upstream = upstream
        self.observed = observed
    }

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        let subscription = upstream.attach(sink)
        observed.subscription.withLock { $0 = subscription }
        return subscription
    }
}

private struct WeakReference: Sendable {
    weak let object: (any AnyObject & Sendable)?

    init(_ object: any AnyObject & Sendable) {
        self.object = object
    }
}

private final class WeakToken: Sendable {
    let object = Locked<WeakReference?>(nil)

    var isAlive: Bool { object.withLock { $0?.object != nil } }
}
