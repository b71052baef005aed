import WeirCore
import WeirGraphs
import WeirTesting

/// A subscriber that requests when the test does, and records every signal.
final class Probe<Input: Sendable>: Subscriber {
    struct State: Sendable {
        var subscription: (any DemandSubscription)?
        var subscriptionCount = 0
        var elements: [Input] = []
        var requested = 0
        var error: (any Error)?
        var isComplete = false
        var signals: [String] = []
        var isInside = false
        var overlaps = 0
        var deepest = 0
        var depth = 0
    }

    private let locked = Locked(State())
    private let onElement: @Sendable (Input, Probe) -> Void

    init(onElement: @escaping @Sendable (Input, Probe) -> Void = { _, _ in }) {
        self.onElement = onElement
    }

    var state: State { locked.withLock { $0 } }
    var elements: [Input] { state.elements }
    var isOver: Bool { state.isComplete || state.error != nil }

    func request(_ count: Int) {
        let subscription = locked.withLock { state in
            if count > 0 {
                state.requested =
                    state.requested.addingReportingOverflow(count).overflow ? .max : state.requested + count
            }
            return state.subscription
        }
        subscription?.request(count)
    }

    func cancel() {
        state.subscription?.cancel()
    }

    private func signal(_ name: String, _ change: (inout State) -> Void, _ body: () -> Void = {}) {
        locked.withLock { state in
            if state.isInside, state.depth == 0 { state.overlaps += 1 }
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
            state.isInside = true
            state.signals.append(name)
            change(&state)
        }
        body()
        locked.withLock { state in
            state.depth -= 1
            state.isInside = state.depth > 0
        }
    }

    func onSubscribe(_ subscription: any DemandSubscription) {
        signal("onSubscribe") { state in
            state.subscription = subscription
            state.subscriptionCount += 1
        }
    }

    func onNext(_ element: Input) {
        signal("onNext") {
            $0.elements.append(element)
        } _: {
            onElement(element, self)
        }
    }

    func onError(_ error: any Error) {
        signal("onError") { $0.error = error }
    }

    func onComplete() {
        signal("onComplete") { $0.isComplete = true }
    }
}

/// Records the demand on a source.
final class Tally: Sendable {
    private let counted = Locked(0)

    var count: Int { counted.withLock { $0 } }

    func add(_ number: Int = 1) {
        counted.withLock { $0 += number }
    }
}

extension Source {
    /// The source with a probe behind it.
    func probe(_ settings: GraphSettings = GraphSettings()) -> (Handle, Probe<Element>) {
        let graph = to(GraphSink<Element, GraphPublisher<Element>>.publisher()) { ($0, $1) }
        let (handle, publisher) = graph.run(settings)
        let probe = Probe<Element>()
        publisher.subscribe(probe)
        return (handle, probe)
    }
}

struct Trouble: Error, Equatable {
    var number = 0
}

/// Lets everything through, and records it.
struct Recording<Upstream: EventStream>: EventStream {
    typealias Element = Upstream.Element

    let upstream: Upstream
    let sink: RecorderSink<Element>

    func attach<S: Sink>(_ downstream: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RecordingSink(sink: sink, downstream: downstream))
    }
}

struct RecordingSink<Downstream: Sink>: Sink {
    typealias Input = Downstream.Input

    var sink: RecorderSink<Input>
    var downstream: Downstream

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        sink.receive(element, at: time)
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        sink.advance(to: watermark)
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        sink.finish(completion)
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
