import TestStreams
import Testing
import WeirTesting

@testable import WeirCore

/// A made-up operator: emits the sum and how many elements there were.
private struct Summing: EventStream {
    typealias Element = Int
    let upstream: EventChannel<Int>
    var version: UInt32 = 1
    var forgets = false

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        upstream.attach(SummingSink(version: version, forgets: forgets, downstream: sink))
    }
}

private struct SummingSink<Downstream: Sink<Int>>: Sink {
    let version: UInt32
    let forgets: Bool
    var sum = 0
    var count = 0
    var downstream: Downstream

    mutating func receive(_ element: borrowing Int, at time: Timestamp) {
        sum += element
        count += 1
        downstream.receive(sum &* 1000 + count, at: time)
    }

    mutating func advance(to watermark: Timestamp) { downstream.advance(to: watermark) }
    mutating func finish(_ completion: Completion) { downstream.finish(completion) }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if version > 0 { try state.begin("summing", version: version) }
        try state.exchange(&sum)
        if !forgets { try state.exchange(&count) }
        try downstream.exchangeState(&state)
    }
}

/// An operator that does not say what it remembers.
private struct Silent: EventStream {
    typealias Element = Int
    let upstream: EventChannel<Int>

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        upstream.attach(SilentSink(downstream: sink))
    }
}

private struct SilentSink<Downstream: Sink<Int>>: Sink {
    var downstream: Downstream
    mutating func receive(_ element: borrowing Int, at time: Timestamp) { downstream.receive(element, at: time) }
    mutating func advance(to watermark: Timestamp) {}
    mutating func finish(_ completion: Completion) {}
}

@Suite struct CheckpointTests {
    private func summing(_ version: UInt32 = 1, sinks: Int = 1) -> EventChannel<Int> {
        let channel = EventChannel<Int>(clock: EventClock(VirtualClock()))
        for _ in 0..<sinks { Summing(upstream: channel, version: version).subscribe { _ in } }
        return channel
    }

    @Test func theTrialFindsAForgottenField() {
        let trials = (0..<50 as Range<UInt64>).map { seed in
            RestoreTrial<Int>(seed: seed) { id, _, _ in id }
        }
        for trial in trials { #expect(trial.difference { Summing(upstream: $0[0]) } == nil) }
        #expect(trials.contains { $0.difference { Summing(upstream: $0[0], forgets: true) } != nil })
    }

    @Test func operatorsThatDoNotSayAreNamed() {
        let channel = EventChannel<Int>()
        Silent(upstream: channel).subscribe { _ in }
        #expect(throws: StateError.self) { try channel.checkpoint() }
        do {
            _ = try channel.checkpoint()
        } catch {
            #expect(
                "\(error)".hasSuffix("SilentSink does not say what it remembers: implement exchangeState(_:) there")
            )
        }
    }

    @Test func aFieldOutsideASectionIsRefused() {
        let channel = EventChannel<Int>()
        Summing(upstream: channel, version: 0).subscribe { _ in }
        // The section of the channel is open there.
        #expect(throws: Never.self) { try channel.checkpoint() }
        #expect(throws: StateError.self) {
            try Checkpoint { state throws(StateError) in
                var number = 1
                try state.exchange(&number)
            }
        }
    }

    @Test func damageIsFound() throws {
        let channel = summing(sinks: 3)
        for number in 0..<5 { channel.publish(number) }
        let bytes = try channel.checkpoint().bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(throws: StateError.self, "byte \(index), bit \(bit)") { try Checkpoint(bytes: damaged) }
            }
            #expect(throws: StateError.self, "\(index) bytes") { try Checkpoint(bytes: Array(bytes[..<index])) }
        }
        #expect(throws: StateError.self) { try Checkpoint(bytes: bytes + [0]) }
        #expect(throws: StateError.self) { try Checkpoint(bytes: bytes + bytes) }
        #expect(try Checkpoint(bytes: bytes).bytes == bytes)
    }

    /// Large states are not copied to be written.
    @Test func itsBytesAreThereOnce() throws {
        let checkpoint = try summing(sinks: 3).checkpoint()
        let (one, other) = (checkpoint.bytes, checkpoint.bytes)
        unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in unsafe #expect(one.baseAddress == other.baseAddress) }
        }
    }

    @Test func aPartOfOtherBytesIsRead() throws {
        let channel = summing(sinks: 3)
        for number in 0..<5 { channel.publish(number) }
        let bytes = try channel.checkpoint().bytes
        for count in [0, 1, 7, 100] {
            let around = [UInt8](repeating: 9, count: count)
            let all = around + bytes + around
            let part = all[count..<count + bytes.count]
            #expect(try Checkpoint(part).bytes == bytes)
            let restored = summing(sinks: 3)
            #expect(try restored.restore(Checkpoint(part)).isComplete)
            #expect(try restored.checkpoint().bytes == bytes)
            // Where the damage is counts from the start of the part.
            var damaged = part
            damaged[count + 60] ^= 1
            let errors = [damaged, Array(damaged)[...]].map { damaged in
                #expect(throws: StateError.self) { try Checkpoint(damaged) }
            }
            #expect("\(String(describing: errors[0]))" == "\(String(describing: errors[1]))")
            #expect(throws: StateError.self) { try Checkpoint(all[count..<count + bytes.count - 1]) }
        }
    }

    @Test func nonsenseIsFound() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let count = Int.random(in: 0...200, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            if Bool.random(using: &generator) { bytes = Checkpoint.magic + bytes }
            #expect(throws: StateError.self, "seed \(seed)") { try Checkpoint(bytes: bytes) }
        }
    }

    @Test func whatDoesNotFitIsToldAndDropped() throws {
        let old = summing(1, sinks: 2)
        for number in 0..<5 { old.publish(number) }
        let checkpoint = try old.checkpoint()

        // Another version of the first operator's meaning, and the second is gone.
        let changed = summing(2)
        do {
            try changed.restore(checkpoint)
            Issue.record("nothing was refused")
        } catch {
            guard case .mismatch(let report) = error else { throw error }
            #expect(report.changed.map(\.name) == ["1/summing"])
            #expect(report.dropped.map(\.name) == ["2/summing"])
            #expect(!report.isComplete)
        }
        let report = try changed.restore(checkpoint, droppingMismatches: true)
        #expect(report.restoredCount == 2)

        // One more operator is none that lacks.
        let longer = summing(1, sinks: 3)
        #expect(try longer.restore(checkpoint).added == ["3/summing"])
    }

    @Test func aFailedRestoreOfAnotherPipelineChangesNothing() throws {
        let old = summing(2)
        for number in 0..<5 { old.publish(number) }
        let checkpoint = try old.checkpoint()
        let channel = EventChannel<Int>()
        let recorder = Recorder(Summing(upstream: channel))
        #expect(throws: StateError.self) { try channel.restore(checkpoint) }
        channel.publish(4)
        #expect(recorder.elements == [4001])
        #expect(channel.metrics.published == 1)
    }

    @Test func insideItsSinksAChannelCannotBeSaved() {
        let channel = EventChannel<Int>()
        let seen = Locked<[String]>([])
        channel.subscribe { [weak channel] _ in
            do throws(StateError) { _ = try channel?.checkpoint() } catch { seen.withLock { $0.append("\(error)") } }
        }
        channel.publish(1)
        #expect(seen.withLock { $0 } == ["the channel is at work on this thread: save and restore outside its sinks"])
    }

    @Test func aChannelThatIsOverStaysOver() throws {
        let channel = summing()
        channel.publish(1)
        channel.finish(.failed(ChannelError.overflow(capacity: 3)))
        let other = summing()
        try other.restore(try channel.checkpoint())
        #expect(!other.publish(2))
        let recorder = Recorder(other)
        #expect(recorder.isFinished)
    }

    @Test func namesAreUnique() {
        let channel = EventChannel<Int>()
        channel.named("a").subscribe { _ in }
        channel.named("a").subscribe { _ in }
        #expect(throws: StateError.repeatedName("a")) { try channel.checkpoint() }
    }

    @Test func namedPartsAreFoundAgain() throws {
        let names = try summing().checkpoint().sections.map(\.name)
        #expect(names == ["channel", "attached", "1/summing"])
        let old = EventChannel<Int>(clock: EventClock(VirtualClock()))
        let recorder = Recorder<Int>()
        old.named("sums").attach(SummingSink(version: 1, forgets: false, downstream: recorder.sink))
        for number in 0..<5 { old.publish(number) }

        // Another operator of the kind comes before, and would get the state of the only one otherwise.
        let new = EventChannel<Int>(clock: EventClock(VirtualClock()))
        let restored = Recorder<Int>()
        let named = new.named("sums")
        let other = SummingSink(version: 1, forgets: false, downstream: Recorder<Int>().sink)
        new.attach(other)
        named.attach(SummingSink(version: 1, forgets: false, downstream: restored.sink))
        // The second sink of the channel was not there, and is not taken for one that has ended.
        let report = try new.restore(try old.checkpoint())
        #expect(report.added == ["1/summing"])
        new.publish(5)
        #expect(restored.elements == [15_006])
    }

    /// The file that version 1 of the format was is read, and made again.
    ///
    /// In it are all kinds of elements. That its bytes come out again in each process shows that they do not depend on the
    /// seed of hashes. Made by `WEIR_GOLDEN=1 swift test --filter CheckpointTests`.
    @Test func theGoldenFile() throws {
        var values = GoldenValues()
        values.fill()
        let checkpoint = try Checkpoint { state throws(StateError) in try values.exchange(&state) }
        let golden = try GoldenFile("elements-1.state").bytes(orMade: checkpoint.bytes)
        #expect(golden == checkpoint.bytes)
        var restored = GoldenValues()
        try Checkpoint(bytes: golden).restore { state throws(StateError) in try restored.exchange(&state) }
        #expect(restored == values)
    }
}

private struct GoldenValues: Equatable {
    var number = 0
    var real = 0.0
    var padded = ElementTests.Padded(byte: 0, word: 0, flag: false)
    var text: String?
    var nested: [ElementTests.Nested] = []
    var table: [String: Int] = [:]
    var set: Set<Int> = []

    mutating func fill() {
        number = -42
        real = 0.1
        padded = ElementTests.Padded()
        text = "naïve"
        nested = [ElementTests.Nested(), ElementTests.Nested(name: "b", pair: .nothing)]
        table = Dictionary(uniqueKeysWithValues: (0..<20).map { ("key \($0)", $0) })
        set = Set(0..<20)
    }

    mutating func exchange(_ state: inout StateExchange) throws(StateError) {
        try state.begin("numbers")
        try state.exchange(&number)
        try state.exchange(&real)
        try state.exchange(&padded)
        try state.begin("texts", version: 3)
        try state.exchange(&text)
        try state.exchange(&nested)
        try state.begin("tables")
        try state.exchange(&table)
        try state.exchange(&set)
    }
}
