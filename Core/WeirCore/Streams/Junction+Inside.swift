public import CWeir
public import Synchronization

// What the thread inside the gate does: it has the state, the watermarks and the waiting signals to itself.
extension Junction {
    /// Whether nothing may reach the state any more.
    @inlinable
    var isOver: Bool {
        // Relaxed: the flag guards nothing but itself.
        unsafe inside.pointee.isFinished || isCancelled.load(ordering: .relaxed)
    }

    @inlinable
    @inline(never)
    func leaveAfterDraining() {
        repeat {
            while let message = waiting.pop() { handle(message) }
            if unsafe overflowed.pointee {
                unsafe overflowed.pointee = false
                complete(.failed(ChannelError.overflow(capacity: capacity)))
            }
        } while unsafe !cweir_gate_leave(gate)
    }

    @inlinable
    func handle(_ message: Message) {
        guard !isOver else { return }
        switch message.content {
        case .element(let signal):
            unsafe inside.pointee.state.receive(signal, from: message.input, at: message.time)
        case .watermark:
            advance(message.input, to: message.time)
        case .idleness(let isIdle):
            setIdle(message.input, isIdle)
        case .completion(.finished):
            finishInput(message.input)
        case .completion(let completion):
            complete(completion)
        }
    }

    @inlinable
    func advance(_ input: Int, to watermark: Timestamp) {
        guard unsafe watermark > inside.pointee.watermarks[input] else { return }
        unsafe inside.pointee.watermarks[input] = watermark
        unsafe inside.pointee.state.advance(input, to: watermark)
        advanceTogether()
    }

    @inlinable
    func advanceTogether() {
        let earliest = unsafe inside.pointee.idleCount == 0 ? inside.pointee.watermarks.min() ?? .distantPast : awaited
        guard unsafe earliest > inside.pointee.watermark else { return }
        unsafe inside.pointee.watermark = earliest
        unsafe inside.pointee.state.advance(to: earliest)
    }

    /// The earliest watermark of the inputs that are not idle, or of all where all are.
    @usableFromInline
    var awaited: Timestamp {
        let ignoresIdle = unsafe inside.pointee.idleCount < inside.pointee.unfinishedCount
        var earliest = Timestamp.distantFuture
        for (input, watermark) in unsafe inside.pointee.watermarks.enumerated() {
            if unsafe !ignoresIdle || !inside.pointee.isIdle[input] { earliest = min(earliest, watermark) }
        }
        return earliest
    }

    /// Sets whether the others need not wait for an input.
    @inlinable
    func setIdle(_ input: Int, _ isIdle: Bool) {
        guard unsafe inside.pointee.isIdle[input] != isIdle, unsafe !inside.pointee.hasFinished[input] else { return }
        unsafe inside.pointee.isIdle[input] = isIdle
        unsafe inside.pointee.idleCount += isIdle ? 1 : -1
        settleIdleness()
        advanceTogether()
    }

    @inlinable
    func settleIdleness() {
        let isIdle = unsafe inside.pointee.idleCount > 0 && inside.pointee.idleCount == inside.pointee.unfinishedCount
        guard unsafe isIdle != inside.pointee.isIdleTogether else { return }
        unsafe inside.pointee.isIdleTogether = isIdle
        unsafe inside.pointee.state.setIdle(isIdle)
    }

    @inlinable
    func finishInput(_ input: Int) {
        guard unsafe !inside.pointee.hasFinished[input] else { return }
        unsafe inside.pointee.hasFinished[input] = true
        unsafe inside.pointee.unfinishedCount -= 1
        if unsafe inside.pointee.isIdle[input] {
            unsafe inside.pointee.isIdle[input] = false
            unsafe inside.pointee.idleCount -= 1
        }
        unsafe inside.pointee.watermarks[input] = .distantFuture
        if unsafe inside.pointee.state.finishInput(input) || inside.pointee.unfinishedCount == 0 {
            complete(.finished)
        } else {
            settleIdleness()
            advanceTogether()
        }
    }

    @inlinable
    func complete(_ completion: Completion) {
        guard !isOver else { return }
        unsafe inside.pointee.isFinished = true
        unsafe inside.pointee.state.finish(completion)
        own.cancel()
    }
}
