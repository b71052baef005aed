import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirTesting

/// An element that says where it comes from and how many came before it from there.
private struct Numbered: Event, Equatable {
    let timestamp: Timestamp
    let input: Int
    let number: Int
}

/// Hands everything on, and checks that nobody else is at it.
private struct CheckingState<Downstream: Sink>: JunctionState where Downstream.Input == Numbered {
    let isBusy = ReferenceFlag()
    var watermark = Timestamp.distantPast
    var downstream: Downstream

    mutating func receive(_ signal: Numbered, from input: Int, at time: Timestamp) {
        isBusy.enter()
        #expect(signal.input == input)
        if time < watermark { Issue.record("\(signal) came after the watermark \(watermark)") }
        downstream.receive(signal, at: time)
        isBusy.leave()
    }

    mutating func advance(to watermark: Timestamp) {
        isBusy.enter()
        if watermark <= self.watermark { Issue.record("the watermark went from \(self.watermark) to \(watermark)") }
        self.watermark = watermark
        downstream.advance(to: watermark)
        isBusy.leave()
    }

    mutating func finish(_ completion: Completion) {
        isBusy.enter()
        downstream.finish(completion)
        isBusy.leave()
    }
}

private final class ReferenceFlag: Sendable {
    private let flag = Atomic(false)

    func enter() {
        if flag.exchange(true, ordering: .relaxed) { Issue.record("two at a time are in the junction") }
    }

    func leave() { flag.store(false, ordering: .relaxed) }
}

@Suite struct JunctionTests {
    private func junction(
        _ inputs: Int,
        capacity: Int = 1024,
        _ recorder: Recorder<Numbered>
    ) -> Junction<CheckingState<RecorderSink<Numbered>>> {
        Junction(CheckingState(downstream: recorder.sink), inputs: inputs, capacity: capacity)
    }

    /// Many threads; elements and watermarks of each in order, each watermark a lower bound, nothing lost, one end.
    @Test(arguments: [1, 2, 64])
    func servesManyThreads(capacity: Int) {
        let count = 5_000
        for _ in 0..<4 {
            let recorder = Recorder<Numbered>()
            let junction = junction(4, capacity: capacity, recorder)
            TestThreads.run(
                (0..<4).map { index in
                    {
                        var sink = junction.input(index, PlainPort())
                        for number in 0..<count {
                            let time = Timestamp(nanosecondsSinceEpoch: Int64(number))
                            sink.receive(Numbered(timestamp: time, input: index, number: number), at: time)
                            if number % 7 == 0 { sink.advance(to: time) }
                        }
                        sink.finish(.finished)
                    }
                }
            )
            for index in 0..<4 {
                let numbers = recorder.elements.filter { $0.input == index }.map(\.number)
                #expect(numbers == Array(0..<count))
            }
            #expect(recorder.isFinished)
        }
    }

    @Test func signalsFromInsideWaitTheirTurn() {
        let channel = EventChannel<Numbered>()
        let echo = EventChannel<Numbered>()
        let reentrant = Recorder<Numbered>()
        let outer = Junction(CheckingState(downstream: EchoSink(echo: echo, recorder: reentrant)), inputs: 2)
        channel.attach(outer.input(0, PlainPort()))
        echo.attach(outer.input(1, PlainPort()))
        for number in 0..<3 { channel.publish(Numbered(timestamp: .epoch, input: 0, number: number)) }
        #expect(
            reentrant.elements.map { [$0.input, $0.number] } == [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]
        )
    }

    @Test func tooManySignalsFromInsideFailTheStream() {
        let recorder = Recorder<Numbered>()
        let echo = EventChannel<Numbered>()
        let junction = Junction(
            CheckingState(downstream: EchoSink(echo: echo, recorder: recorder, times: 5)),
            inputs: 2,
            capacity: 4
        )
        echo.attach(junction.input(1, PlainPort()))
        var input = junction.input(0, PlainPort())
        input.receive(Numbered(timestamp: .epoch, input: 0, number: 0), at: .epoch)
        #expect(recorder.elements.count == 5)
        #expect(recorder.signals.last == .completion(.failed(ChannelError.overflow(capacity: 4))))
        input.receive(Numbered(timestamp: .epoch, input: 0, number: 1), at: .epoch)
        #expect(recorder.elements.count == 5)
    }

    @Test func aFailureEndsItAtOnce() {
        let recorder = Recorder<Numbered>()
        let junction = junction(2, recorder)
        var (first, second) = (junction.input(0, PlainPort()), junction.input(1, PlainPort()))
        first.finish(.finished)
        second.advance(to: .epoch)
        second.advance(to: .epoch)
        second.finish(.failed(ChannelError.overflow(capacity: 1)))
        second.advance(to: .distantFuture)
        first.finish(.finished)
        let failure = Completion.failed(ChannelError.overflow(capacity: 1))
        #expect(recorder.signals == [.watermark(.epoch), .completion(failure)])
    }

    @Test func oneHandleDetachesAllInputs() {
        let channels = [EventChannel<Numbered>(), EventChannel<Numbered>()]
        let recorder = Recorder<Numbered>()
        let junction = junction(2, recorder)
        let subscription = junction.subscription(
            channels[0].attach(junction.input(0, PlainPort())),
            channels[1].attach(junction.input(1, PlainPort()))
        )
        subscription.cancel()
        for channel in channels { channel.publish(Numbered(timestamp: .epoch, input: 0, number: 0)) }
        #expect(recorder.signals.isEmpty)
    }
}

/// Publishes into the junction's other input, from inside the junction.
private struct EchoSink: Sink {
    let echo: EventChannel<Numbered>
    let recorder: Recorder<Numbered>
    var times = 1

    mutating func receive(_ element: borrowing Numbered, at time: Timestamp) {
        let number = element.number
        if element.input == 0 {
            for _ in 0..<times { echo.publish(Numbered(timestamp: time, input: 1, number: number)) }
        }
        var sink = recorder.sink
        sink.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        var sink = recorder.sink
        sink.finish(completion)
    }
}
