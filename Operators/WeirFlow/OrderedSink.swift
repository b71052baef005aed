public import WeirCore

/// Sorts elements by time: keeps each until event time has passed it.
@frozen
@usableFromInline
struct OrderedSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

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
    // Waiting elements are younger than the watermark by at most the delay and a step: that many buckets, used in turn,
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
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if time >= threshold {
            let moved = time.shifted(byNanoseconds: -delay).roundedDown(toNanoseconds: step)
            threshold = moved.shifted(byNanoseconds: step).shifted(byNanoseconds: delay)
            if moved > watermark { advance(to: moved) }
        }
        guard time > watermark else {
            receiveDue(element, time)
            return
        }
        // More than once where the state is of a pipeline with a greater limit.
        while count >= limit {
            makeRoom()
            guard time > watermark else {
                receiveDue(element, time)
                return
            }
        }
        keep(copy element, time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        release(through: watermark)
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { release(through: .distantFuture) }
        (buckets, waiting) = ([], [])
        count = 0
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("ordered")
        state.require(delay)
        try state.exchange(late)
        try state.exchange(&buckets)
        try state.exchange(&occupied)
        try state.exchange(&waiting)
        try state.exchange(&firstFree)
        try state.exchange(&firstNumber)
        try state.exchange(&firstPlace)
        try state.exchange(&count)
        try state.exchange(&threshold)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
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
}
