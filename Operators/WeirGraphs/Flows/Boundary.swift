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
/// An end that finds nothing to do says so, looks once more, and sleeps; the other end wakes it with the next batch. Both
/// say and look in one order for all threads, so one of the two sees the other.
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
    @usableFromInline let reading = DrivenState(Reading())

    /// What the end that reads knows of watermarks.
    @frozen
    @usableFromInline
    struct Reading: Sendable {
        /// The last one that was sent on.
        @usableFromInline var last = Timestamp.distantPast
        /// One that found no room, and how many elements stood in the ring then, which come before it.
        @usableFromInline var late: (watermark: Timestamp, behind: Int)?

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

    // MARK: The end that writes

    @usableFromInline
    func setWriter(_ wake: Waker) {
        wakeWriter.withLock { $0 = wake }
    }

    @usableFromInline var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Says that the writer waits for room.
    @usableFromInline
    func writerWillWait() {
        writerWaits.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Says that no element older than `watermark` will follow.
    ///
    /// Where the ring is full, the watermark waits beside it, and of several the latest: it is as true later.
    @usableFromInline
    func writeWatermark(_ watermark: Timestamp) {
        if !ring.push(.watermark(watermark)) {
            late.max(watermark.nanosecondsSinceEpoch, ordering: .releasing)
        }
        hasWritten()
    }

    /// Makes room for new elements by dropping the oldest; watermarks among them stay.
    ///
    /// - Parameter most: How many places to make free.
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
        // Also a reader that nobody has asked for anything, and that does not wait for elements.
        wakeReader.withLock { $0 }?()
    }

    // MARK: The end that reads

    @usableFromInline
    func setReader(_ wake: Waker) {
        wakeReader.withLock { $0 = wake }
    }

    /// How the writer ended; look at the ring once more when there is something.
    @usableFromInline var end: Completion? {
        hasCompletion.load(ordering: .acquiring) ? completion.withLock { $0 } : nil
    }

    /// Looks for a watermark that found no room; whatever was written before it is in the ring by now.
    @usableFromInline
    func lookForLateWatermark() {
        guard reading.value.late == nil, late.load(ordering: .relaxed) != .min else { return }
        let watermark = late.exchange(.min, ordering: .acquiring)
        if watermark != .min {
            reading.value.late = (Timestamp(nanosecondsSinceEpoch: watermark), ring.count)
        }
    }

    /// Says that the reader waits for elements.
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

extension Flow where Output == Input, Handle == Void {
    /// Ends an island and begins another, which run at the same time.
    ///
    /// Between the two is a ring: what was asked for and has not been taken waits there, so a slow reader holds up the writer
    /// when the ring is full. Order is kept; watermarks and the completion come after what was sent before them.
    ///
    /// - Parameter capacity: How many elements may wait; rounded up to a power of two.
    /// - Returns: The flow.
    @inlinable
    public static func async(capacity: Int = 1024) -> Flow {
        precondition(capacity > 0, "a boundary has to hold an element, not \(capacity)")
        return Flow(unchecked: { builder in
            let boundary = GraphBoundary<Input>(capacity: capacity)
            let writer = builder.addStage("boundary", inlets: ["in"]) { context in
                let inlet = context.inlet(0, of: Input.self)
                boundary.setWriter(context.waker())
                let batch = context.batch
                return { boundary.write(inlet, batch: batch) }
            }
            let reader = builder.addStage("boundary", outlets: ["out"]) { context in
                let outlet = context.outlet(0, of: Input.self)
                boundary.setReader(context.waker())
                return { boundary.read(outlet) }
            }
            return (FlowPorts(Inlet(builder, writer, 0), Outlet(builder, reader, 0)), ())
        })
    }
}

extension GraphBoundary {
    @inlinable
    func write(_ inlet: Wire<Element>, batch: Int) {
        if isCancelled { return inlet.cancel() }
        guard !inlet.isCancelled else { return }
        var hasSaidSo = false
        while true {
            var written = 0
            let number = inlet.available
            if number > 0 {
                inlet.takeSome(number) { elements, range in
                    for index in range {
                        guard ring.push(.element(elements[index])) else { break }
                        written += 1
                    }
                    return written
                }
            } else if let watermark = inlet.peekWatermark {
                if ring.push(.watermark(watermark)) {
                    written = 1
                    _ = inlet.takeWatermark()
                }
            } else {
                break
            }
            if written > 0 {
                hasWritten()
                hasSaidSo = false
            } else if hasSaidSo {
                return
            } else {
                writerWillWait()
                hasSaidSo = true
            }
        }
        if inlet.isDrained, let completion = inlet.completion {
            finish(completion)
            inlet.cancel()
        } else {
            // What the ring has room for, and no more than a batch.
            inlet.request(upTo: max(1, min(batch, capacity - ring.count)))
        }
    }

    /// Sends on what was asked for, and ends the outlet after the last of it.
    @inlinable
    func read(_ outlet: Wire<Element>) {
        if let end = readSome(outlet) { outlet.finish(end) }
    }

    /// Sends on what was asked for; gives the end when everything before it was sent.
    @inlinable
    func readSome(_ outlet: Wire<Element>) -> Completion? {
        if outlet.isCancelled {
            cancel()
            return nil
        }
        var hasSaidSo = false
        while !outlet.isClosed {
            let end = end
            lookForLateWatermark()
            guard outlet.demand > 0 else {
                guard ring.count == 0 else { return nil }
                guard sendLateWatermark(on: outlet) else { return end }
                // There may be a later one.
                continue
            }
            var watermark: Timestamp?
            var taken = 0
            outlet.push(upTo: outlet.demand) { output in
                while !output.isFull, let crossing = ring.pop() {
                    taken += 1
                    guard case .element(let element) = crossing else {
                        if case .watermark(let mark) = crossing { watermark = mark }
                        break
                    }
                    output.append(element)
                }
            }
            if let watermark { send(watermark, on: outlet) }
            if taken > 0 {
                reading.value.late?.behind -= taken
                if let late = reading.value.late, late.behind <= 0 { _ = sendLateWatermark(on: outlet) }
                hasRead()
                hasSaidSo = false
            } else if sendLateWatermark(on: outlet) {
                hasSaidSo = false
            } else if let end {
                return end
            } else if hasSaidSo {
                return nil
            } else {
                readerWillWait()
                hasSaidSo = true
            }
        }
        return nil
    }

    /// Sends a watermark that had found no room; false where there is none.
    @inlinable
    func sendLateWatermark(on outlet: Wire<Element>) -> Bool {
        guard let late = reading.value.late else { return false }
        reading.value.late = nil
        send(late.watermark, on: outlet)
        return true
    }

    @inlinable
    func send(_ watermark: Timestamp, on outlet: Wire<Element>) {
        guard watermark > reading.value.last else { return }
        reading.value.last = watermark
        outlet.advance(to: watermark)
    }
}
