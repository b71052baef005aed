internal import CWeir

extension Junction {
    /// Saves the state of the junction and of all that is behind it, or gives it back: at the first of its inputs.
    @usableFromInline
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchangeOnce(self) { state throws(StateError) in
            guard unsafe !cweir_gate_is_inside(gate) else { throw .busy("an operator of several inputs") }
            var round: UInt32 = 0
            while unsafe !cweir_gate_enter(gate) {
                cweir_thread_back_off(round)
                round &+= 1
            }
            // What waits has been sent before, so it is part of the state; the caller keeps more from coming.
            while let message = waiting.pop() { handle(message) }
            defer { if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() } }
            try exchangeInside(&state)
        }
    }

    private func exchangeInside(_ state: inout StateExchange) throws(StateError) {
        try state.begin("inputs")
        unsafe try state.exchange(&inside.pointee.isFinished)
        unsafe try state.exchange(&inside.pointee.watermarks)
        unsafe try state.exchange(&inside.pointee.watermark)
        unsafe try state.exchange(&inside.pointee.hasFinished)
        unsafe try state.exchange(&inside.pointee.unfinishedCount)
        unsafe try state.exchange(&inside.pointee.isIdle)
        unsafe try state.exchange(&inside.pointee.idleCount)
        unsafe try state.exchange(&inside.pointee.isIdleTogether)
        if state.isRestoring, unsafe inside.pointee.isFinished { own.cancel() }
        unsafe try inside.pointee.state.exchangeState(&state)
    }
}
