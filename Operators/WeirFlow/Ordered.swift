public import WeirCore

extension EventStream {
    /// Restores the order of event time, for elements that arrive late by no more than a delay.
    ///
    ///     readings.ordered(within: .milliseconds(200), limit: 100_000)
    ///
    /// Waits for each element until event time has moved on by `delay`, as told by the latest element or by a watermark,
    /// and emits the elements in the order of their times, equal times in the order of arrival, each with its own time.
    /// Its notion of how far event time has come moves in steps of an eighth of the delay, and each step is a watermark
    /// for what follows; watermarks from upstream count and pass as they are, if they are ahead.
    ///
    /// An element that is older than its watermark goes to ``Ordered/late``. Remembers the elements that wait; when there
    /// are `limit` of them, those of the oldest eighth of a delay are emitted ahead of time, and what would have had to
    /// come before them is late. The completion emits all that wait; a failure discards it.
    ///
    /// - Parameters:
    ///   - delay: How long after younger elements an element may arrive, in event time; not negative.
    ///   - limit: How many elements may wait; positive.
    /// - Returns: The elements in order.
    /// - Complexity: O(log *n*) per element for *n* elements within a 64th of the delay, O(1) where these arrive in
    ///   order; without allocation once the buffers have grown.
    @inlinable
    public func ordered(within delay: Duration, limit: Int = 1 << 20) -> Ordered<Self> {
        precondition(delay >= .zero, "elements cannot be put in order within \(delay)")
        precondition(limit > 0, "elements that are put in order need room for one, not for \(limit)")
        return Ordered(self, delay, limit)
    }
}

/// The elements of a stream in the order of their times; made by `ordered(within:limit:)`.
@frozen
public struct Ordered<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let delay: Duration
    @usableFromInline let limit: Int

    /// The elements that arrived too late to be put in order.
    public let late: SideOutput<Element>

    @inlinable
    init(_ upstream: Upstream, _ delay: Duration, _ limit: Int) {
        self.upstream = upstream
        self.delay = delay
        self.limit = limit
        late = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(OrderedSink(delay, limit, late, sink))
    }
}

/// Keeps elements until their turn has come.
@frozen
public struct OrderedSink<Downstream: Sink>: Sink {
    public typealias Input = Downstream.Input

    /// A place for an element that waits.
    @frozen
    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline var time: Timestamp
        @usableFromInline var element: Input?
        // The place of the next one of the bucket, or of the next free place; -1 if there is none.
        @usableFromInline var next = -1

        @inlinable
        init(_ time: Timestamp, _ element: Input) {
            self.time = time
            self.element = element
        }

        /// A free place.
        @inlinable
        init(next: Int) {
            time = .distantPast
            self.next = next
        }
    }

    /// The elements of a span of time: a list, as a rule in the order of their times.
    @frozen
    @usableFromInline
    struct Bucket: Sendable {
        // -1 if there is none.
        @usableFromInline var first = -1
        @usableFromInline var last = -1
        @usableFromInline var isSorted = true

        @inlinable
        init() {}
    }

    /// Where an element comes when a bucket is sorted.
    @frozen
    @usableFromInline
    struct Rank: Sendable {
        @usableFromInline let time: Timestamp
        @usableFromInline let order: Int
        @usableFromInline let index: Int

        @inlinable
        init(_ time: Timestamp, _ order: Int, _ index: Int) {
            self.time = time
            self.order = order
            self.index = index
        }
    }

    // How far an element looks for its place in a bucket; beyond, they are sorted together when their turn has come.
    @inlinable static var insertionLimit: Int { 32 }

    @usableFromInline let delay: Int64
    // By how much the watermark moves.
    @usableFromInline let step: Int64
    // The width of a bucket as a power of two, between a 128th and a 64th of the delay: so a bucket is found without a
    // division, and as a rule holds so few elements that each finds its place in a few steps.
    @usableFromInline let shift: Int64
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Input>
    // Waiting elements are younger than the watermark by at most the delay and a step: so many buckets, used in turn, can
    // hold them in order, and only within a bucket they have to be sorted.
    @usableFromInline var buckets: ContiguousArray<Bucket>
    // A bit for each bucket that is not empty, so that a stream with few elements need not look at all buckets.
    @usableFromInline var occupied: ContiguousArray<UInt64>
    // All that wait, in places that are used again.
    @usableFromInline var waiting: ContiguousArray<Waiting> = []
    @usableFromInline var firstFree = -1
    @usableFromInline var ranks: ContiguousArray<Rank> = []
    // The number of the oldest bucket, counted from the epoch, and its place.
    @usableFromInline var firstNumber: Int64
    @usableFromInline var firstPlace = 0
    @usableFromInline var count = 0
    // When an element is so late that the watermark moves.
    @usableFromInline var threshold = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ delay: Duration, _ limit: Int, _ late: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.delay = delay.wholeNanoseconds
        step = max(1, delay.wholeNanoseconds / 8)
        self.limit = limit
        self.late = late
        shift = Int64(63 - max(1, delay.wholeNanoseconds / 64).leadingZeroBitCount)
        let places = Int((self.delay >> shift) + (step >> shift)) + 4
        buckets = ContiguousArray(repeating: Bucket(), count: places)
        occupied = ContiguousArray(repeating: 0, count: (places + 63) / 64)
        self.downstream = downstream
        firstNumber = Timestamp.distantPast.nanosecondsSinceEpoch >> shift
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time >= threshold {
            let moved = time.shifted(byNanoseconds: -delay).roundedDown(toNanoseconds: step)
            threshold = moved.shifted(byNanoseconds: step).shifted(byNanoseconds: delay)
            if moved > watermark { advance(to: moved) }
        }
        guard time > watermark else {
            receiveDue(element, time)
            return
        }
        if count == limit {
            makeRoom()
            guard time > watermark else {
                receiveDue(element, time)
                return
            }
        }
        keep(copy element, time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        release(through: watermark)
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion { release(through: .distantFuture) }
        (buckets, waiting) = ([], [])
        count = 0
        downstream.finish(completion)
    }

    /// Takes an element that need not or must not wait.
    @inlinable
    mutating func receiveDue(_ element: borrowing Input, _ time: Timestamp) {
        if time == watermark {
            downstream.receive(element, at: time)
        } else {
            late.send(copy element, at: time)
        }
    }

    /// The place of the first bucket from `place` on that is not empty; there must be one.
    @inlinable
    func nextOccupied(from place: Int) -> Int {
        var word = place >> 6
        var bits = occupied[word] & (.max << UInt64(place & 63))
        while bits == 0 {
            word = word + 1 == occupied.count ? 0 : word + 1
            bits = occupied[word]
        }
        return word << 6 + bits.trailingZeroBitCount
    }

    @inlinable
    func place(of time: Timestamp) -> Int {
        let place = firstPlace + Int(time.nanosecondsSinceEpoch >> shift - firstNumber)
        return place < buckets.count ? place : place - buckets.count
    }

    /// Emits what is not younger than a time, in order.
    @inlinable
    mutating func release(through time: Timestamp) {
        let newFirst = time.nanosecondsSinceEpoch >> shift
        var (steps, overflow) = newFirst.subtractingReportingOverflow(firstNumber)
        if overflow { steps = .max }
        firstNumber = newFirst
        while count > 0 {
            let place = nextOccupied(from: firstPlace)
            let distance = place >= firstPlace ? place - firstPlace : place - firstPlace + buckets.count
            guard distance < steps else { break }
            emit(through: .distantFuture, from: place)
        }
        // With nothing left, it makes no difference which place is first.
        guard count > 0 else { return }
        firstPlace += Int(steps)
        if firstPlace >= buckets.count { firstPlace -= buckets.count }
        emit(through: time, from: firstPlace)
    }

    /// Puts an element into its bucket.
    @inlinable
    mutating func keep(_ element: Input, _ time: Timestamp) {
        let place = place(of: time)
        let index = firstFree >= 0 ? firstFree : waiting.count
        if index < waiting.count {
            firstFree = waiting[index].next
            waiting[index] = Waiting(time, element)
        } else {
            waiting.append(Waiting(time, element))
        }
        count += 1
        let last = buckets[place].last
        if last < 0 {
            occupied[place >> 6] |= 1 << UInt64(place & 63)
            buckets[place].first = index
        } else if time >= waiting[last].time {
            waiting[last].next = index
        } else if buckets[place].isSorted, insert(index, place) {
            return
        } else {
            waiting[last].next = index
            buckets[place].isSorted = false
        }
        buckets[place].last = index
    }

    /// Puts an element in its place in a bucket that is sorted, behind those of equal time, unless that is too far.
    ///
    /// - Parameters:
    ///   - index: The element; it is older than the last one.
    ///   - place: The place of the bucket.
    /// - Returns: Whether it was near enough.
    @inlinable
    mutating func insert(_ index: Int, _ place: Int) -> Bool {
        let time = waiting[index].time
        var previous = -1
        var next = buckets[place].first
        for _ in 0..<Self.insertionLimit {
            if waiting[next].time > time {
                waiting[index].next = next
                if previous < 0 { buckets[place].first = index } else { waiting[previous].next = index }
                return true
            }
            (previous, next) = (next, waiting[next].next)
        }
        return false
    }

    @inlinable
    @inline(never)
    mutating func sort(_ place: Int) {
        ranks.removeAll(keepingCapacity: true)
        var index = buckets[place].first
        while index >= 0 {
            ranks.append(Rank(waiting[index].time, ranks.count, index))
            index = waiting[index].next
        }
        ranks.sort { $0.time < $1.time || ($0.time == $1.time && $0.order < $1.order) }
        for rank in ranks.reversed() {
            waiting[rank.index].next = index
            index = rank.index
        }
        buckets[place].first = index
        buckets[place].last = ranks[ranks.count - 1].index
        buckets[place].isSorted = true
    }

    /// Emits those of a bucket that are not younger than a time, in order.
    @inlinable
    mutating func emit(through time: Timestamp, from place: Int) {
        if !buckets[place].isSorted {
            guard earliest(in: place) <= time else { return }
            sort(place)
        }
        let first = buckets[place].first
        var index = first
        while index >= 0, waiting[index].time <= time {
            let next = waiting[index].next
            if let element = waiting[index].element { downstream.receive(element, at: waiting[index].time) }
            waiting[index] = Waiting(next: firstFree)
            firstFree = index
            count -= 1
            index = next
        }
        if index < 0 {
            buckets[place] = Bucket()
            occupied[place >> 6] &= ~(1 << UInt64(place & 63))
        } else if index != first {
            buckets[place].first = index
        }
    }

    /// The time of the oldest element of a bucket.
    @inlinable
    func earliest(in place: Int) -> Timestamp {
        var earliest = Timestamp.distantFuture
        forEachTime(in: place) { earliest = min(earliest, $0) }
        return earliest
    }

    @inlinable
    func forEachTime(in place: Int, _ body: (Timestamp) -> Void) {
        var index = buckets[place].first
        while index >= 0 {
            body(waiting[index].time)
            index = waiting[index].next
        }
    }

    /// Emits the oldest elements, as far as the watermark moves in one step.
    @inlinable
    mutating func makeRoom() {
        var place = nextOccupied(from: firstPlace)
        let oldest = earliest(in: place)
        let end = oldest.roundedDown(toNanoseconds: step).shifted(byNanoseconds: step)
        var latest = oldest
        for _ in buckets.indices {
            var isBeyond = false
            forEachTime(in: place) { time in
                if time < end { latest = max(latest, time) } else { isBeyond = true }
            }
            if isBeyond { break }
            place = place + 1 == buckets.count ? 0 : place + 1
        }
        advance(to: latest)
    }
}
