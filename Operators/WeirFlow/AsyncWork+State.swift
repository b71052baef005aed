internal import WeirCore

// What is in flight, in checkpoints: elements that tasks work on are saved as if they waited, so that their work is done
// again after a restart; results that wait for their turn are saved as they are.
extension AsyncWork {
    /// Saves what is in flight and the state of the sink, or gives both back; called by what publishes.
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        let gated = receiver.withLock { $0 }
        // No result reaches the sink meanwhile; those that come are noted, and belong to what follows.
        let isDone: Void? = try gated?.whileIdle(
            postponing: { run() },
            { (sink) throws(StateError) in try exchangeState(of: &sink, &state) }
        )
        guard isDone != nil else { throw .busy("mapAsync") }
        guard !state.isSaving else { return }
        // Not before all behind it has its state.
        run(self.state.withLock { $0.start(upTo: settings.limit) })
        run()
    }

    private func exchangeState(
        of sink: inout SinkHandle<Output>?,
        _ exchange: inout StateExchange
    ) throws(StateError) {
        let present = state.withLock { $0 }
        var entries = exchange.isSaving ? present.savedEntries : []
        var early = exchange.isSaving ? present.savedEarly : []
        var completion = present.completion
        var earlyEnd = present.earlyEnd
        var hasFailed = present.hasFailed
        var isOver = sink == nil
        try exchange.begin("async")
        try exchange.exchange(&entries)
        try exchange.exchange(&early)
        try exchange.exchange(&completion)
        try exchange.exchange(&earlyEnd)
        try exchange.exchange(&hasFailed)
        try exchange.exchange(&isOver)
        try exchange.exchange(refused)
        if exchange.isRestoring {
            state.withLock { state in
                state.restore(entries, early)
                (state.completion, state.earlyEnd, state.hasFailed) = (completion, earlyEnd, hasFailed)
                state.isOver = isOver
            }
            if isOver { sink = nil }
        }
        try sink?.exchangeState(&exchange)
    }
}

extension AsyncWork.State {
    /// What is in flight: an element, the result of one, a failure, or otherwise a watermark.
    typealias Saved = (input: Input?, output: Output?, completion: Completion?, time: Timestamp)

    var savedEntries: [Saved] {
        (first..<end).compactMap { number in
            switch entries[number] {
            case .waiting(let input, let time)?, .running(let input, let time)?: (input, nil, nil, time)
            case .done(let output, let time)?: (nil, output, nil, time)
            case .watermark(let watermark)?: (nil, nil, nil, watermark)
            case .failed(let completion)?: (nil, nil, completion, .distantPast)
            case .gone?, nil: nil
            }
        }
    }

    var savedEarly: [(output: Output, time: Timestamp)] {
        var (rest, saved) = (early, [(output: Output, time: Timestamp)]())
        while let signal = rest.popFirst() {
            if case .element(let output, let time) = signal { saved.append((output, time)) }
        }
        return saved
    }

    /// Puts what was in flight into a state that has nothing.
    mutating func restore(_ entries: [Saved], _ early: [(output: Output, time: Timestamp)]) {
        for entry in entries {
            if let input = entry.input {
                append(.waiting(input, entry.time))
                waitingCount += 1
                heldCount += 1
            } else if let output = entry.output {
                append(.done(output, entry.time))
                heldCount += 1
            } else if let completion = entry.completion {
                append(.failed(completion))
            } else {
                append(.watermark(entry.time))
            }
        }
        for result in early { self.early.append(.element(result.output, result.time)) }
    }
}
