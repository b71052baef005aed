public import WeirCore

/// The latest elements of several streams; what `combineLatest` of more than two streams runs.
@frozen
public struct LatestTuples<each Upstream: EventStream>: PackedStream {
    public typealias Element = (repeat (each Upstream).Element)
    public typealias Part = (repeat (each Upstream).Element?)

    @usableFromInline let upstreams: (repeat each Upstream)

    @inlinable
    init(_ upstreams: repeat each Upstream) {
        self.upstreams = (repeat each upstreams)
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        var count = 0
        for _ in repeat (each Upstream).self { count += 1 }
        let state = LatestTuplesState<repeat (each Upstream).Element, S>(count, sink)
        let junction = Junction(state, inputs: count)
        var position = 0
        var subscriptions: [Subscription] = []
        func join<Stream: EventStream>(_ stream: Stream) {
            let place = position
            let port = WrappingPort { (element: Stream.Element) in
                OneOf<repeat (each Upstream).Element>(element, at: place)
            }
            subscriptions.append(stream.attach(junction.input(place, port)))
            position += 1
        }
        repeat join(each upstreams)
        return junction.subscription(subscriptions)
    }
}

/// Remembers the latest element of each of several inputs.
@frozen
@usableFromInline
struct LatestTuplesState<each Element: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (repeat each Element) {
    // What has come of each input, and when.
    @usableFromInline var latest: OneOf<repeat each Element>
    @usableFromInline var times: [Timestamp?]
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ count: Int, _ downstream: consuming Downstream) {
        latest = OneOf()
        times = Array(repeating: nil, count: count)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: OneOf<repeat each Element>, from input: Int, at time: Timestamp) {
        latest = signal.merged(with: latest)
        times[input] = time
        guard let tuple = latest.complete else { return }
        var youngest = time
        for time in times { if let time, time > youngest { youngest = time } }
        downstream.receive(tuple, at: youngest)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { times[input] == nil }

    @inlinable
    mutating func finish(_ completion: Completion) {
        latest = OneOf()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("combineLatest")
        try state.exchange(&latest)
        try state.exchange(&times)
        try downstream.exchangeState(&state)
    }
}
