internal import Synchronization
public import WeirCore

/// What crosses an asynchronous boundary.
@frozen
@usableFromInline
enum Crossing<Element: Sendable>: Sendable {
    case element(Timed<Element>)
    case watermark(Timestamp)
}

/// The ring between two islands, and how each end makes the other look.
///
/// An end that finds nothing to do sets its flag, checks once more, and sleeps; the other end wakes it with the next
/// batch. Setting and checking are sequentially consistent, so one of the two sees the other.
@usableFromInline
final class GraphBoundary<Element: Sendable>: Sendable {
    @usableFromInline let ring: SharedRing<Crossing<Element>>
    @usableFromInline let capacity: Int
    private let completion = Locked<Completion?>(nil)
    private let hasCompletion = Atomic(false)
    private let cancelled = Atomic(false)
    private let writerWaits = Atomic(false)
    private let readerWaits = Atomic(false)
    private let wakeWriter = Locked<Waker?>(nil)
    private let wakeReader = Locked<Waker?>(nil)
    // The latest watermark for which there was no room, in nanoseconds; the smallest number where there is none.
    private let late = Atomic(Int64.min)
    @usableFromInline let reading = SharedCell(driven: Reading())

    /// The watermark state of the reading end.
    @frozen
    @usableFromInline
    struct Reading: Sendable {
        /// The last one that was sent on.
        @usableFromInline var last = Timestamp.distantPast
        /// One that found no room, and how many elements stood in the ring then, which come before it.
        @usableFromInline var late: (watermark: Timestamp, behind: Int)?
        /// An element that was taken from the ring without demand, to know whether it is the end that follows.
        @usableFromInline var held: Timed<Element>?

        @inlinable
        init() {}
    }

    @usableFromInline
    init(capacity: Int) {
        var rounded = 1
        while rounded < capacity { rounded *= 2 }
        self.capacity = rounded
        do {
            ring = try SharedRing(capacity: rounded)
        } catch {
            preconditionFailure("a boundary of capacity \(capacity) cannot be made: \(error)")
        }
    }

    /// Saves what waits, or gives it back.
    ///
    /// - Parameters:
    ///   - exchange: Takes the fields.
    ///   - hold: Calls its closure while nothing writes; the reading end stands still.
    /// - Throws: `StateError`.
    func exchangeState(
        _ exchange: inout StateExchange,
        whileHeld hold: (() -> Void) -> Void = { $0() }
    ) throws(StateError) {
        exchange.require(capacity)
        var crossings: [(element: Timed<Element>?, watermark: Timestamp)] = []
        var (completion, isCancelled) = (Completion?.none, false)
        var late = Int64.min
        if exchange.isSaving {
            hold {
                // Taken out and put back: one after the other, so that the order stays.
                for _ in 0..<ring.count {
                    guard let crossing = ring.pop() else { break }
                    switch crossing {
                    case .element(let element): crossings.append((element, .distantPast))
                    case .watermark(let watermark): crossings.append((nil, watermark))
                    }
                    _ = ring.push(crossing)
                }
                late = self.late.load(ordering: .acquiring)
                (completion, isCancelled) = (end, self.isCancelled)
            }
        }
        try exchange.exchange(&crossings)
        try exchange.exchange(reading)
        try exchange.exchange(&late)
        try exchange.exchange(&completion)
        try exchange.exchange(&isCancelled)
        guard exchange.isRestoring else { return }
        guard crossings.count <= capacity else {
            throw .damaged("\(crossings.count) elements wait where there is room for \(capacity)", offset: 0)
        }
        for (element, watermark) in crossings { _ = ring.push(element.map { .element($0) } ?? .watermark(watermark)) }
        self.late.store(late, ordering: .releasing)
        // Nobody is woken: all stages begin when all have their state.
        if let completion { self.completion.withLock { $0 = completion } }
        hasCompletion.store(completion != nil, ordering: .releasing)
        cancelled.store(isCancelled, ordering: .releasing)
    }

    // MARK: The end that writes

    @usableFromInline
    func setWriter(_ wake: Waker) {
        wakeWriter.withLock { $0 = wake }
    }

    @usableFromInline var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Sets the flag that the writer waits for room.
    @usableFromInline
    func writerWillWait() {
        writerWaits.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Sends a watermark: no older element will follow.
    ///
    /// Where the ring is full, the watermark waits beside it, and of several the latest: it is as true later. Call
    /// ``hasWritten()`` then.
    @usableFromInline
    func writeWatermark(_ watermark: Timestamp) {
        if !ring.push(.watermark(watermark)) {
            late.max(watermark.nanosecondsSinceEpoch, ordering: .releasing)
        }
    }

    /// Makes room for new elements by dropping the oldest; watermarks among them stay.
    ///
    /// - Returns: How many elements were dropped.
    func dropOldest(_ most: Int) -> UInt64 {
        var dropped: UInt64 = 0
        for _ in 0..<most {
            switch ring.pop() {
            case .element?: dropped += 1
            case .watermark(let watermark)?: late.max(watermark.nanosecondsSinceEpoch, ordering: .releasing)
            case nil: return dropped
            }
        }
        return dropped
    }

    /// Wakes the reader if it waits for elements.
    @usableFromInline
    func hasWritten() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard readerWaits.load(ordering: .relaxed), readerWaits.exchange(false, ordering: .sequentiallyConsistent)
        else {
            return
        }
        wakeReader.withLock { $0 }?()
    }

    @usableFromInline
    func finish(_ how: Completion) {
        completion.withLock { $0 = $0 ?? how }
        hasCompletion.store(true, ordering: .releasing)
        // Also a reader without demand, which does not wait for elements.
        wakeReader.withLock { $0 }?()
    }

    // MARK: The end that reads

    @usableFromInline
    func setReader(_ wake: Waker) {
        wakeReader.withLock { $0 = wake }
    }

    /// The completion of the writer; check the ring once more when it is set.
    @usableFromInline var end: Completion? {
        hasCompletion.load(ordering: .acquiring) ? completion.withLock { $0 } : nil
    }

    /// Takes a watermark that found no room; everything written before it is in the ring by now.
    @usableFromInline
    func lookForLateWatermark() {
        guard reading.value.late == nil, late.load(ordering: .relaxed) != .min else { return }
        let watermark = late.exchange(.min, ordering: .acquiring)
        if watermark != .min {
            let count = ring.count + (reading.value.held == nil ? 0 : 1)
            reading.value.late = (Timestamp(nanosecondsSinceEpoch: watermark), count)
        }
    }

    /// Sets the flag that the reader waits for elements.
    @usableFromInline
    func readerWillWait() {
        readerWaits.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Wakes the writer if it waits for room, and half of the ring is free: not for each element.
    @usableFromInline
    func hasRead() {
        guard ring.count <= capacity / 2 else { return }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard writerWaits.load(ordering: .relaxed), writerWaits.exchange(false, ordering: .sequentiallyConsistent)
        else {
            return
        }
        wakeWriter.withLock { $0 }?()
    }

    @usableFromInline
    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wakeWriter.withLock { $0 }?()
    }
}

extension StageContext {
    /// Makes what waits at a boundary a part of checkpoints; called by the stage that reads.
    @usableFromInline
    func keep<Element>(_ boundary: GraphBoundary<Element>) {
        state.addField { state throws(StateError) in try boundary.exchangeState(&state) }
    }
}
