import WeirCore
import WeirTesting

/// Plays the inputs of a case, column by column, and notes down what comes out.
///
/// A column is a second of event time. When all signals of a column have come, each input sends a watermark of a
/// nanosecond later: as time passes there, nothing of that column follows. The completion carries no time, so the watermark
/// of its column precedes it.
///
/// An element that comes out in a later column than that of its time is noted with both, so it is not equal.
final class RxStage: Sendable {
    private struct State: Sendable {
        var column = 0
        var steps: [(column: Int, send: @Sendable () -> Void)] = []
        var channels: [TestChannel<String>] = []
        var notes: [String] = []
        // The end carries no time and belongs to what comes before it.
        var lastColumn = 0
    }

    let test: RxMarbleCase
    private let scale = MarbleScale()
    private let inputs: [String: RxInput]
    private let state = Locked(State())

    init(_ test: RxMarbleCase) {
        self.test = test
        var inputs: [String: RxInput] = [:]
        for input in test.ins {
            let marbles = RxMarbles(input.marbles)
            let channel = input.isHot ? TestChannel<String>() : nil
            inputs[input.name] = RxInput(marbles: marbles, channel: channel)
        }
        self.inputs = inputs
        for input in test.ins {
            if let own = inputs[input.name], let channel = own.channel { start(own.marbles, into: channel) }
        }
    }

    subscript(_ name: String) -> RxStream {
        guard let input = inputs[name] else { preconditionFailure("\(test.name) has no input \(name)") }
        return RxStream(stage: self, input: input)
    }

    /// A cold stream that is not among the inputs of the case.
    func cold(_ marbles: String) -> RxStream {
        RxStream(stage: self, input: RxInput(marbles: RxMarbles(marbles), channel: nil))
    }

    /// The duration with a name, of the case.
    func duration(_ name: String = "t") -> Duration {
        guard let columns = test.t[name] else { preconditionFailure("\(test.name) has no duration \(name)") }
        return .seconds(columns)
    }

    /// The time of a column.
    func time(_ column: Int) -> Timestamp { scale.time(of: column) }

    /// Sends what a diagram draws, from the present column on.
    func start(_ marbles: RxMarbles, into channel: TestChannel<String>) {
        let column = state.withLock { state in
            state.channels.append(channel)
            return state.column
        }
        channel.send(.watermark(time(column)))
        for moment in marbles.moments {
            let time = time(column + moment.column)
            let send: @Sendable () -> Void =
                switch moment.mark {
                case .element(let value): { channel.send(.element(value, time)) }
                case .end:
                    {
                        channel.send(.watermark(time))
                        channel.send(.completion(.finished))
                    }
                case .failure: { channel.send(.completion(.failed(MarbleFailure()))) }
                }
            state.withLock { $0.steps.append((column + moment.column, send)) }
        }
    }

    /// Notes down what comes out of a stream.
    func record(_ stream: some EventStream<String>) {
        stream.attach(NoteSink(stage: self))
    }

    /// Plays everything that is scheduled, for at least as many columns as are expected.
    ///
    /// - Returns: What came out, each with its column.
    func play() -> [String] {
        let columnCount = RxMarbles(test.expected).columnCount
        var column = 0
        for channel in state.withLock({ $0.channels }) { channel.send(.watermark(time(0))) }
        while column < columnCount || state.withLock({ !$0.steps.isEmpty }) {
            state.withLock { $0.column = column }
            sendDue()
            for channel in state.withLock({ $0.channels }) {
                channel.send(.watermark(scale.time(of: column, plus: 1)))
                sendDue()
            }
            column += 1
        }
        return state.withLock { $0.notes }
    }

    private func sendDue() {
        while let send = state.withLock({ state in
            let due = state.steps.firstIndex { $0.column <= state.column }
            return due.map { state.steps.remove(at: $0).send }
        }) {
            send()
        }
    }

    fileprivate func note(_ element: String, at time: Timestamp) {
        let (column, rest) = time.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        state.withLock { state in
            state.lastColumn = max(state.lastColumn, Int(column))
            let delay = column < state.column ? ", sent at \(state.column)" : ""
            state.notes.append("\(element)@\(column)" + (rest == 0 ? "" : "+\(rest) ns") + delay)
        }
    }

    fileprivate func note(_ completion: Completion) {
        state.withLock { state in
            let column = max(state.column, state.lastColumn)
            if case .finished = completion {
                state.notes.append("|@\(column)")
            } else {
                state.notes.append("#@\(column)")
            }
        }
    }
}

/// An input of a case.
struct RxInput: Sendable {
    let marbles: RxMarbles
    /// Where a hot one is played; a cold one is played anew for each sink.
    let channel: TestChannel<String>?
}

/// An input of a case as a stream.
struct RxStream: EventStream {
    typealias Element = String

    let stage: RxStage
    let input: RxInput

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == String {
        if let channel = input.channel { return channel.attach(sink) }
        let channel = TestChannel<String>()
        let subscription = channel.attach(sink)
        stage.start(input.marbles, into: channel)
        return subscription
    }
}

/// Hands what comes out to the notes.
private struct NoteSink: Sink {
    let stage: RxStage

    mutating func receive(_ element: borrowing String, at time: Timestamp) { stage.note(copy element, at: time) }
    mutating func advance(to watermark: Timestamp) {}
    mutating func finish(_ completion: Completion) { stage.note(completion) }
}
