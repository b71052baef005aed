public import WeirCore

extension EventStream {
    /// Finds elements that come several times within a duration: the repetition.
    ///
    ///     failedLogins.repeated(atLeast: 3, within: .seconds(60))
    ///         .subscribe { logins in lock(logins[0].account) }
    ///
    /// A group starts with an element and takes all that are less than `duration` younger, up to `atMost`. It closes
    /// when it is full, or when an element or the watermark reaches its deadline, which is `duration` after its first
    /// element. If it has at least `atLeast` elements then, it is emitted, and its elements are used up; if not, only
    /// its first element is given up and the group goes on from the second: so no `atLeast` elements within a duration
    /// are missed. By default a group is full with `atLeast` elements, and so is emitted with the last of them.
    ///
    /// Emits a full group when its last element arrives, with that element's time; another group when it closes, with
    /// the time of its deadline. The end of the stream closes the group; a failure or an interruption discards it.
    /// Takes elements that are in the order of their event times (order them before); one that is older than the one
    /// before goes to ``Repeated/late``. Remembers less than `atMost` elements.
    ///
    /// - Parameters:
    ///   - least: How many elements make a group; positive.
    ///   - most: How many elements fill a group; at least `atLeast`, which is the default.
    ///   - duration: The elements of a group are less than this apart; positive.
    /// - Returns: The groups, oldest element first.
    /// - Complexity: O(1) per element; one allocation per group that is emitted.
    @inlinable
    public func repeated(atLeast least: Int, atMost most: Int? = nil, within duration: Duration) -> Repeated<Self> {
        Repeated(self, least, most ?? least, duration)
    }
}

/// The groups of elements that come within a duration; made by `repeated`.
@frozen
public struct Repeated<Upstream: EventStream>: EventStream {
    public typealias Element = [Upstream.Element]

    /// The elements that were older than the one before, or than the watermark; they are part of no group.
    public let late = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let least: Int
    @usableFromInline let most: Int
    @usableFromInline let duration: Int64

    @inlinable
    init(_ upstream: Upstream, _ least: Int, _ most: Int, _ duration: Duration) {
        precondition(least > 0, "Repeated: least must be positive, but is \(least)")
        precondition(most >= least, "a repetition of at least \(least) elements can not have at most \(most)")
        precondition(duration >= .nanoseconds(1), "Repeated: duration must be positive, but is \(duration)")
        self.upstream = upstream
        self.least = least
        self.most = most
        self.duration = duration.wholeNanoseconds
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RepeatedSink(least, most, duration, late, sink))
    }
}

extension Repeated: GroupableStream where Upstream: GroupableStream {}

/// Collects elements that come within a duration.
@frozen
@usableFromInline
struct RepeatedSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == [Input] {
    @usableFromInline let least: Int
    @usableFromInline let most: Int
    @usableFromInline let duration: Int64
    @usableFromInline let late: SideOutput<Input>
    // The youngest element or watermark.
    @usableFromInline var now = Timestamp.distantPast
    @usableFromInline var group = TimeOrderedQueue<Input>()
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ least: Int,
        _ most: Int,
        _ duration: Int64,
        _ late: SideOutput<Input>,
        _ downstream: consuming Downstream
    ) {
        self.least = least
        self.most = most
        self.duration = duration
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= now else {
            late.send(copy element, at: time)
            return
        }
        now = time
        close(until: time)
        group.insert(copy element, at: time)
        // More than that where the state is of a pipeline with a greater number.
        if group.count >= most { emit(at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > now {
            now = watermark
            close(until: watermark)
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, group.count >= least, let first = group.first {
            emit(at: first.time.shifted(byNanoseconds: duration))
        }
        group.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("repeated")
        try state.exchange(late)
        try state.exchange(&now)
        try state.exchange(&group)
        try downstream.exchangeState(&state)
    }

    /// Closes the groups whose deadlines `time` has reached.
    @inlinable
    mutating func close(until time: Timestamp) {
        while let first = group.first {
            let deadline = first.time.shifted(byNanoseconds: duration)
            guard deadline <= time else { return }
            if group.count >= least { emit(at: deadline) } else { group.removeFirst() }
        }
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        var elements: [Input] = []
        elements.reserveCapacity(group.count)
        for index in 0..<group.count { elements.append(group[index].value) }
        group.removeAll()
        downstream.receive(elements, at: time)
    }
}
