internal import Synchronization
public import WeirCore

extension Signal where Value: Sendable {
    /// The value of the signal at each element of a stream, with the time of that.
    ///
    ///     let every = readings.map { _ in () }
    ///     let samples = pressure.sampled(by: every)
    ///
    /// The stream says how fine the samples are: ticks of a clock, events, or another signal's changes. Any thread may attach,
    /// and the stream may run on any: a sample is the value after the last cycle that had ended on the thread of the signal.
    /// Finishes when the stream does, or at the first element after the signal was released. Watermarks are those of the
    /// stream.
    ///
    /// - Parameter stream: Says when.
    /// - Returns: The samples.
    /// - Complexity: O(1) for each sample and each change.
    public final func sampled<Moments: EventStream>(by stream: Moments) -> SampledSignal<Value, Moments> {
        let latest = LatestSample<Value>(self())
        let cell = cell
        node.audience.addFollower(
            SignalAudience.Follower(
                // Weakly: the signal need not remember what nobody samples.
                tell: { [weak latest] in latest?.value.withLock { $0 = cell.value } },
                isOver: { [weak latest] in latest == nil },
                end: { [weak latest] in latest?.hasEnded.store(true, ordering: .releasing) }
            )
        )
        return SampledSignal(latest: latest, moments: stream)
    }
}

/// What a signal and its samples share.
final class LatestSample<Value: Sendable>: Sendable {
    let value: Locked<Value>
    let hasEnded = Atomic(false)

    init(_ value: Value) {
        self.value = Locked(value)
    }
}

/// The values of a signal at the elements of a stream; made by ``Signal/sampled(by:)``.
///
/// Thread safety: any thread may attach.
public struct SampledSignal<Element: Sendable, Moments: EventStream>: EventStream {
    let latest: LatestSample<Element>
    let moments: Moments

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(moments.attach(SamplingSink(downstream: sink, latest: latest, own: own)))
    }
}

/// Sends the value of a signal at each element.
struct SamplingSink<Moment: Sendable, Downstream: Sink>: Sink {
    typealias Input = Moment

    var downstream: Downstream?
    let latest: LatestSample<Downstream.Input>
    let own: DeferredSubscription

    mutating func receive(_ element: borrowing Moment, at time: Timestamp) {
        if latest.hasEnded.load(ordering: .acquiring) {
            finish(.finished)
            own.cancel()
        } else {
            let value = latest.value.withLock { $0 }
            downstream?.receive(value, at: time)
        }
    }

    mutating func advance(to watermark: Timestamp) {
        downstream?.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        var last = downstream.take()
        last?.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("sampled")
        // The signal has it too, but tells nobody when it is given back.
        var value = latest.value.withLock { $0 }
        try state.exchange(&value)
        latest.value.withLock { $0 = value }
        try downstream?.exchangeState(&state)
    }
}
