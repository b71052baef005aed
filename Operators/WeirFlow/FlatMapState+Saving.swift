public import WeirCore

extension FlatMapState {
    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if state.isSaving, runningCount > 0, !settings.repeats {
            throw .unsaveable(operator: "flatMap, as long as inner streams run without `innerState: .repeated`,")
        }
        try state.begin("flatMap")
        try state.exchange(refused)
        try state.exchange(replaced)
        try state.exchange(&outerWatermark)
        try state.exchange(&isOuterIdle)
        try state.exchange(&isOuterFinished)
        try state.exchange(&watermark)
        try state.exchange(&isIdleTogether)
        try state.exchange(&isFinished)
        if settings.repeats { try exchangeStreams(&state) }
        if state.isRestoring {
            _ = findEarliest()
            if isFinished { starts.cancelAll() }
        }
        try downstream.exchangeState(&state)
    }

    /// Exchanges the streams that run, and the elements that wait.
    private mutating func exchangeStreams(_ state: inout StateExchange) throws(StateError) {
        var streams = running.compactMap { $0 }.sorted { $0.number < $1.number }
            .map { inner in
                (inner.element, inner.time, inner.bound, max(inner.received, inner.skipped))
            }
        try state.exchange(&streams)
        try waiting.exchangeState(&state)
        guard state.isRestoring else { return }
        for (element, time, bound, skipped) in streams {
            lastNumber += 1
            var inner = RunningInner(element, time, lastNumber)
            inner.bound = bound
            inner.skipped = skipped
            // Attached with the next signal: then the states of all other sinks have been restored.
            starts.add(element, InnerPlace(running.count, lastNumber))
            running.append(inner)
            runningCount += 1
        }
    }
}
