public import CWeir
public import Synchronization

/// Where several inputs meet: one sink that all of them drive, one thread at a time.
///
/// Whoever comes while nobody else is at it runs the sink. Whoever comes while another thread is at it, or from inside
/// the sink, leaves what it brought; the thread that is at it takes that before it goes. So nobody waits (but for those
/// who find `capacity` signals left already: they wait for the thread that is at it), nothing recurses, and each input
/// keeps its order.
///
/// The sink gets the elements in the order of arrival, the oldest of the inputs' watermarks, and the end when all
/// inputs have ended, or at the first that fails. An input that has ended holds no watermark back.
///
/// Thread safety: all members, from any thread; each input from one thread at a time.
///
/// - Complexity: O(1) per element, O(*i*) per watermark for *i* inputs; without allocation unless threads meet.
@safe
public final class Confluence<Shared: Sink>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `inside` is touched only from inside the gate, whose enter and leave order one
    // thread's work before the next one's. Everything else is constant or under the lock of `left`.

    @usableFromInline
    enum Message: Sendable {
        case element(Shared.Input, Timestamp)
        case watermark(Timestamp, input: Int)
        case end(Completion, input: Int)
    }

    /// What belongs to the thread inside the gate.
    @frozen
    @usableFromInline
    struct Inside {
        @usableFromInline var shared: Shared
        @usableFromInline var isFinished = false
        var watermarks: [Timestamp]
        var watermark = Timestamp.distantPast
        var open: Int
        var taken: [Message] = []

        @usableFromInline
        init(shared: consuming Shared, inputs: Int) {
            self.shared = shared
            watermarks = Array(repeating: .distantPast, count: inputs)
            open = inputs
        }
    }

    @usableFromInline let gate: UnsafeMutablePointer<cweir_gate_t>
    @usableFromInline let inside: UnsafeMutablePointer<Inside>
    @usableFromInline let isStopped = Atomic<Bool>(false)
    private let left = Locked<[Message]>([])
    private let capacity: Int

    /// Creates the place for a number of inputs.
    ///
    /// - Parameters:
    ///   - shared: The sink that all inputs drive.
    ///   - inputs: How many there are; positive.
    ///   - capacity: How many signals may be left by those who find another thread at it; positive.
    @inlinable
    public convenience init(_ shared: consuming Shared, inputs: Int, capacity: Int = 1024) {
        self.init(Inside(shared: shared, inputs: inputs), inputs, capacity)
    }

    @usableFromInline
    init(_ inside: consuming Inside, _ inputs: Int, _ capacity: Int) {
        precondition(inputs > 0, "\(inputs) inputs can not meet: at least one is needed")
        precondition(capacity > 0, "signals can not be left in \(capacity) places: be positive")
        guard let line = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_gate_t>.size) else {
            preconditionFailure("there is no memory for a confluence")
        }
        unsafe gate = line.bindMemory(to: cweir_gate_t.self, capacity: 1)
        unsafe cweir_gate_init(gate)
        unsafe self.inside = .allocate(capacity: 1)
        unsafe self.inside.initialize(to: inside)
        self.capacity = capacity
    }

    deinit {
        unsafe inside.deinitialize(count: 1)
        unsafe inside.deallocate()
        unsafe cweir_free_lines(gate)
    }

    /// Takes an element of any input.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    @inlinable
    public func receive(_ element: Shared.Input, at time: Timestamp) {
        guard unsafe cweir_gate_enter(gate) else {
            leave(.element(element, time))
            return
        }
        // Relaxed: the flag guards nothing but itself.
        if unsafe !inside.pointee.isFinished, !isStopped.load(ordering: .relaxed) {
            unsafe inside.pointee.shared.receive(element, at: time)
        }
        if unsafe !cweir_gate_leave(gate) { goAfterDraining() }
    }

    /// Takes a watermark of an input.
    ///
    /// - Parameters:
    ///   - watermark: The watermark.
    ///   - input: The number of the input, from 0.
    public func advance(to watermark: Timestamp, of input: Int) {
        leave(.watermark(watermark, input: input))
    }

    /// Takes the end of an input.
    ///
    /// - Parameters:
    ///   - completion: Whether the input ended or broke off.
    ///   - input: The number of the input, from 0.
    public func finish(_ completion: Completion, of input: Int) {
        leave(.end(completion, input: input))
    }

    /// Makes one handle of those of all inputs.
    ///
    /// - Parameter inputs: The handles of the inputs.
    /// - Returns: The handle that cancels them all; the sink gets nothing more then, also not what was left.
    public func subscription(to inputs: [Subscription]) -> Subscription {
        Subscription {
            self.isStopped.store(true, ordering: .relaxed)
            for input in inputs { input.cancel() }
        }
    }

    /// Leaves a signal for whoever is inside, or goes inside when nobody is.
    @usableFromInline
    @inline(never)
    func leave(_ message: Message) {
        var round: UInt32 = 0
        while true {
            let isLeft = left.withLock { left in
                // Who is inside can not wait for itself.
                guard unsafe left.count < capacity || cweir_gate_is_inside(gate) else { return false }
                left.append(message)
                return true
            }
            if unsafe cweir_gate_notify(gate) { goAfterDraining() }
            if isLeft { return }
            cweir_thread_back_off(round)
            round &+= 1
        }
    }

    @usableFromInline
    @inline(never)
    func goAfterDraining() {
        repeat { drain() } while unsafe !cweir_gate_leave(gate)
    }

    private func drain() {
        while true {
            // Two arrays take turns, so that neither is allocated again.
            var taken = unsafe inside.pointee.taken
            unsafe inside.pointee.taken = []
            left.withLock { swap(&$0, &taken) }
            let isEmpty = taken.isEmpty
            for message in taken { handle(message) }
            taken.removeAll(keepingCapacity: true)
            unsafe inside.pointee.taken = taken
            if isEmpty { return }
        }
    }

    private func handle(_ message: Message) {
        guard unsafe !inside.pointee.isFinished, !isStopped.load(ordering: .relaxed) else { return }
        switch message {
        case .element(let element, let time):
            unsafe inside.pointee.shared.receive(element, at: time)
        case .watermark(let watermark, let input):
            advanceInside(to: watermark, of: input)
        case .end(.finished, let input):
            unsafe inside.pointee.open -= 1
            if unsafe inside.pointee.open > 0 {
                advanceInside(to: .distantFuture, of: input)
            } else {
                finishInside(.finished)
            }
        case .end(.failed(let error), _):
            finishInside(.failed(error))
        }
    }

    private func advanceInside(to watermark: Timestamp, of input: Int) {
        unsafe inside.pointee.watermarks[input] = max(inside.pointee.watermarks[input], watermark)
        let oldest = unsafe inside.pointee.watermarks.min() ?? .distantPast
        guard unsafe oldest > inside.pointee.watermark else { return }
        unsafe inside.pointee.watermark = oldest
        unsafe inside.pointee.shared.advance(to: oldest)
    }

    private func finishInside(_ completion: Completion) {
        unsafe inside.pointee.isFinished = true
        unsafe inside.pointee.shared.finish(completion)
    }
}
