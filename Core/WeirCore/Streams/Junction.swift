public import CWeir
public import Synchronization

/// Where several inputs meet in one operator, whatever threads drive them.
///
/// The inputs' elements, watermarks and completions reach the operator's state one at a time. If no other thread is
/// inside, the caller works on the state, and on everything downstream, before the call returns. A concurrent caller,
/// or one inside the operator's own downstream, enqueues the signal in a bounded ring; the thread inside takes it
/// next. So no lock is held while foreign code runs, nothing recurses, and the signals of each input keep their order.
///
/// A thread that finds the ring full waits until there is room, which slows its input down. From inside the junction's
/// own downstream it cannot wait for itself: then the stream fails with ``ChannelError/overflow(capacity:)``.
///
/// The watermark of the whole is the earliest of the inputs' watermarks; an input that has finished holds nothing back,
/// nor does one that is idle while another is not. It never goes back.
/// The whole finishes when all inputs have finished, or earlier if the state decides so; it ends with the first failure
/// or interruption. What comes after that is ignored, and inputs that have not finished are detached.
///
///     extension Merged {
///         func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
///             let junction = Junction(SinkState(sink), inputs: 2)
///             return junction.subscription(
///                 first.attach(junction.input(0, PlainPort())),
///                 second.attach(junction.input(1, PlainPort()))
///             )
///         }
///     }
///
/// Thread safety: any thread may drive any input, one thread at a time each.
///
/// - Complexity: O(1) per signal beyond the operator's own cost, without allocation or lock: two atomic exchanges while
///   the junction is free (about 10 ns), and a ring's push and pop when it is not. A watermark is O(*n*) for *n* inputs.
@safe
public final class Junction<State: JunctionState>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `inside` and `overflowed` are touched only by the thread inside the gate, whose
    // enter and leave order one thread's work before the next one's. Everything else is constant, atomic or a ring.

    /// A signal that found the junction busy.
    @frozen
    @usableFromInline
    struct Message: Sendable {
        @usableFromInline let content: Content
        @usableFromInline let input: Int
        @usableFromInline let time: Timestamp

        @inlinable
        init(_ content: Content, _ input: Int, _ time: Timestamp) {
            self.content = content
            self.input = input
            self.time = time
        }
    }

    /// What a message says.
    @frozen
    @usableFromInline
    enum Content: Sendable {
        case element(State.Signal)
        case watermark
        case idleness(Bool)
        case completion(Completion)
    }

    /// What belongs to the thread inside the gate.
    @frozen
    @usableFromInline
    struct Inside {
        @usableFromInline var state: State
        @usableFromInline var isFinished = false
        // Those of inputs that have finished are in the distant future.
        @usableFromInline var watermarks: [Timestamp]
        @usableFromInline var watermark = Timestamp.distantPast
        @usableFromInline var hasFinished: [Bool]
        @usableFromInline var unfinishedCount: Int
        // Of those that have not finished.
        @usableFromInline var isIdle: [Bool]
        @usableFromInline var idleCount = 0
        // Whether all inputs that have not finished are idle, as the state was told.
        @usableFromInline var isIdleTogether = false

        @inlinable
        init(_ state: consuming State, inputs count: Int) {
            self.state = state
            watermarks = Array(repeating: .distantPast, count: count)
            hasFinished = Array(repeating: false, count: count)
            unfinishedCount = count
            isIdle = hasFinished
        }
    }

    @usableFromInline let gate: UnsafeMutablePointer<cweir_gate_t>
    @usableFromInline let inside: UnsafeMutablePointer<Inside>
    // Not part of `inside`: it is written while the state is being worked on.
    @usableFromInline let overflowed: UnsafeMutablePointer<Bool>
    @usableFromInline let isCancelled = Atomic<Bool>(false)
    @usableFromInline let waiting: SharedRing<Message>
    @usableFromInline let capacity: Int
    // What is left of the inputs when the whole is over is detached.
    @usableFromInline let own = DeferredSubscription()

    /// Creates a junction.
    ///
    /// - Parameters:
    ///   - state: What the operator does and remembers.
    ///   - count: How many inputs there are; all of them have to be attached.
    ///   - capacity: How many signals may wait while another one is being handled; a power of two.
    @inlinable
    public init(_ state: consuming State, inputs count: Int, capacity: Int = 1024) {
        precondition(count > 0, "a junction needs an input, not \(count)")
        SinkTemplate.requireNotTemplate()
        self.capacity = capacity
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a junction of capacity \(capacity) cannot be made: \(error)")
        }
        unsafe gate = Self.makeGate()
        unsafe inside = .allocate(capacity: 1)
        unsafe inside.initialize(to: Inside(state, inputs: count))
        unsafe overflowed = .allocate(capacity: 1)
        unsafe overflowed.initialize(to: false)
    }

    deinit {
        unsafe inside.deinitialize(count: 1)
        unsafe inside.deallocate()
        unsafe overflowed.deallocate()
        unsafe cweir_free_lines(gate)
    }

    @usableFromInline
    static func makeGate() -> UnsafeMutablePointer<cweir_gate_t> {
        guard let line = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_gate_t>.size) else {
            preconditionFailure("there is no memory for a junction")
        }
        let gate = unsafe line.bindMemory(to: cweir_gate_t.self, capacity: 1)
        unsafe cweir_gate_init(gate)
        return unsafe gate
    }

    /// The sink of one input.
    ///
    /// - Parameters:
    ///   - index: The position of the input, from 0.
    ///   - port: How its elements become signals.
    /// - Returns: A sink to attach once.
    @inlinable
    public func input<Port: JunctionPort>(_ index: Int, _ port: Port) -> JunctionInput<Port, State>
    where Port.Signal == State.Signal {
        JunctionInput(self, index, port)
    }

    /// One handle for the subscriptions of all inputs.
    ///
    /// - Parameter inputs: What attaching the inputs returned.
    /// - Returns: The handle that detaches them all, and drops the signals that still wait.
    public func subscription(_ inputs: Subscription...) -> Subscription {
        subscription(inputs)
    }

    /// One handle for the subscriptions of all inputs.
    ///
    /// - Parameter inputs: What attaching the inputs returned.
    /// - Returns: The handle that detaches them all, and drops the signals that still wait.
    public func subscription(_ inputs: [Subscription]) -> Subscription {
        // Weakly: the junction holds the subscription, and so may a sink in its state.
        own.set(
            Subscription { [weak self] in
                self?.isCancelled.store(true, ordering: .relaxed)
                for input in inputs { input.cancel() }
            }
        )
    }

    /// Whether this thread is at work on the state, so that what it sends has to wait.
    @usableFromInline
    package var isInside: Bool { unsafe cweir_gate_is_inside(gate) }

    // MARK: From the inputs

    /// Passes a signal to the state; for operators that are driven by calls rather than by attached streams.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - input: The position of the input that it belongs to.
    ///   - time: Its event time.
    @inlinable
    public func receive(_ signal: State.Signal, from input: Int, at time: Timestamp) {
        guard unsafe cweir_gate_enter(gate) else {
            leaveBehind(Message(.element(signal), input, time))
            return
        }
        // A signal that waits behind one that is still being written goes first, or the order of an input could change.
        if waiting.count == 0 {
            if !isOver {
                unsafe inside.pointee.state.receive(signal, from: input, at: time)
            }
            if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        } else {
            leaveAfterDraining()
            leaveBehind(Message(.element(signal), input, time))
        }
    }

    @inlinable
    func send(_ content: Content, from input: Int, at time: Timestamp) {
        guard unsafe cweir_gate_enter(gate) else {
            leaveBehind(Message(content, input, time))
            return
        }
        if waiting.count == 0 {
            handle(Message(content, input, time))
            if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        } else {
            leaveAfterDraining()
            leaveBehind(Message(content, input, time))
        }
    }

    /// Leaves a signal in the ring, and enters if no thread is inside.
    @inlinable
    @inline(never)
    func leaveBehind(_ message: Message) {
        var round: UInt32 = 0
        while !waiting.push(message) {
            if unsafe cweir_gate_is_inside(gate) {
                unsafe overflowed.pointee = true
                break
            }
            if unsafe cweir_gate_notify(gate) { leaveAfterDraining() }
            cweir_thread_back_off(round)
            round &+= 1
        }
        // Also from inside: the thread inside looks at the ring once more before leaving.
        if unsafe cweir_gate_notify(gate) { leaveAfterDraining() }
    }
}
