internal import WeirCore

/// How much work is done at a time, and in what order it comes out.
struct AsyncWorkSettings: Sendable {
    let limit: Int
    let isOrdered: Bool
    let capacity: Int
    let policy: LimitPolicy

    /// How many elements may be at work or wait.
    var room: Int {
        let (sum, overflow) = limit.addingReportingOverflow(capacity)
        return overflow ? .max : sum
    }
}

/// The elements of a stream that tasks work on, and the sink that gets the results.
///
/// What happened is noted under a lock; the sink gets it inside a gate, from one thread at a time, with no lock held.
final class AsyncWork<Input: Sendable, Output: Sendable>: Sendable {
    enum Entry: Sendable {
        case waiting(Input, Timestamp)
        case running(Input, Timestamp)
        case done(Output, Timestamp)
        case watermark(Timestamp)
        case failed(Completion)
        case gone
    }

    enum Signal: Sendable {
        case element(Output, Timestamp)
        case watermark(Timestamp)
        case completion(Completion)
    }

    struct Start: Sendable {
        let number: Int
        let input: Input
    }

    struct State: Sendable {
        /// In the order of arrival, numbered from `first` on.
        var entries: [Int: Entry] = [:]
        var first = 0
        var end = 0
        /// No entry before it waits.
        var firstWaiting = 0
        var waitingCount = 0
        var heldCount = 0
        var runningCount = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The results that came out of turn, where that is wanted.
        var early = Deque<Signal>()
        var completion: Completion?
        var hasFailed = false
        /// An end that nothing is waited for.
        var earlyEnd: Completion?
        var isOver = false

        mutating func append(_ entry: Entry) {
            entries[end] = entry
            end += 1
        }

        /// Takes the oldest element that waits.
        mutating func takeWaiting() -> (number: Int, input: Input, time: Timestamp)? {
            guard waitingCount > 0 else { return nil }
            while true {
                defer { firstWaiting += 1 }
                if case .waiting(let input, let time)? = entries[firstWaiting] {
                    waitingCount -= 1
                    return (firstWaiting, input, time)
                }
            }
        }

        mutating func drop(_ number: Int) {
            entries[number] = .gone
            heldCount -= 1
        }

        mutating func start(upTo limit: Int) -> [Start] {
            var starts: [Start] = []
            while !isOver, !hasFailed, runningCount < limit, let next = takeWaiting() {
                entries[next.number] = .running(next.input, next.time)
                runningCount += 1
                starts.append(Start(number: next.number, input: next.input))
            }
            return starts
        }

        /// Takes what the sink gets next.
        mutating func takeSignal() -> Signal? {
            guard !isOver else { return nil }
            // These were done before the watermarks that come next.
            if let early = early.popFirst() { return early }
            if let earlyEnd { return end(earlyEnd) }
            while first < end {
                switch entries[first] {
                case .done(let output, let time)?:
                    heldCount -= 1
                    removeFirst()
                    return .element(output, time)
                case .watermark(let watermark)?:
                    removeFirst()
                    return .watermark(watermark)
                case .failed(let completion)?: return end(completion)
                case .gone?, nil: removeFirst()
                case .waiting?, .running?: return nil
                }
            }
            return completion.map { end($0) }
        }

        private mutating func removeFirst() {
            entries[first] = nil
            first += 1
            firstWaiting = max(firstWaiting, first)
        }

        private mutating func end(_ completion: Completion) -> Signal {
            isOver = true
            return .completion(completion)
        }

        mutating func fail(_ completion: Completion) {
            hasFailed = true
            earlyEnd = earlyEnd ?? completion
        }

        /// Ends without a signal, or after the last one; returns what has to be cancelled.
        mutating func clear() -> [Task<Void, Never>] {
            isOver = true
            entries = [:]
            early.removeAll()
            (waitingCount, heldCount) = (0, 0)
            defer { tasks = [:] }
            return Array(tasks.values)
        }
    }

    let own = DeferredSubscription()

    let settings: AsyncWorkSettings
    let refused: SideOutput<Input>
    private let transform: @Sendable (Input) async throws -> Output
    let state = Locked(State())
    let receiver = Locked<GatedState<SinkHandle<Output>?>?>(nil)

    init<S: Sink>(
        _ settings: AsyncWorkSettings,
        _ refused: SideOutput<Input>,
        _ transform: @escaping @Sendable (Input) async throws -> Output,
        _ sink: S
    ) where S.Input == Output {
        SinkTemplate.requireNotTemplate()
        self.settings = settings
        self.refused = refused
        self.transform = transform
        let confined = GatedState({ Optional(SinkHandle(sink)) }) { [weak self] sink in self?.deliver(to: &sink) }
        receiver.withLock { $0 = confined }
    }

    // MARK: From the stream

    func add(_ input: Input, at time: Timestamp) {
        let (lost, excess, starts) = state.withLock { state in
            guard !state.isOver, !state.hasFailed else {
                return (nil as (Input, Timestamp)?, [] as [(Input, Timestamp)], [] as [Start])
            }
            var lost: (Input, Timestamp)?
            var excess: [(Input, Timestamp)] = []
            if state.heldCount >= settings.room {
                switch settings.policy {
                case .dropOldest where state.waitingCount > 0:
                    // More than one where the state is of a pipeline with a greater capacity.
                    while state.heldCount > settings.room, let older = state.takeWaiting() {
                        state.drop(older.number)
                        excess.append((older.input, older.time))
                    }
                    if let oldest = state.takeWaiting() {
                        state.drop(oldest.number)
                        lost = (oldest.input, oldest.time)
                    }
                case .dropOldest, .dropNewest:
                    return ((input, time), [], [])
                case .fail:
                    state.fail(.failed(FlowError.overflow(limit: settings.capacity)))
                    return ((input, time), [], [])
                }
            }
            state.append(.waiting(input, time))
            state.waitingCount += 1
            state.heldCount += 1
            return (lost, excess, state.start(upTo: settings.limit))
        }
        for older in excess { refused.send(older.0, at: older.1) }
        if let lost { refused.send(lost.0, at: lost.1) }
        run(starts)
        run()
    }

    func advance(to watermark: Timestamp) {
        state.withLock { state in
            guard !state.isOver else { return }
            // Of several in one place the last one stays.
            if state.end > state.first, case .watermark? = state.entries[state.end - 1] {
                state.entries[state.end - 1] = .watermark(watermark)
            } else {
                state.append(.watermark(watermark))
            }
        }
        run()
    }

    func finish(_ completion: Completion) {
        state.withLock { state in
            if completion.isFinished {
                state.completion = completion
            } else {
                state.fail(completion)
            }
        }
        run()
    }

    func cancel() {
        for task in state.withLock({ $0.clear() }) { task.cancel() }
        own.cancel()
        run()
    }

    // MARK: The work

    func run(_ starts: [Start]) {
        for start in starts {
            let task = Task {
                do {
                    self.complete(start.number, .success(try await self.transform(start.input)))
                } catch {
                    self.complete(start.number, .failure(error))
                }
            }
            let isOver = state.withLock { state in
                if case .running? = state.entries[start.number] { state.tasks[start.number] = task }
                return state.isOver
            }
            if isOver { task.cancel() }
        }
    }

    private func complete(_ number: Int, _ result: Result<Output, any Error>) {
        let starts = state.withLock { state in
            state.tasks[number] = nil
            state.runningCount -= 1
            guard !state.isOver, case .running(_, let time)? = state.entries[number] else {
                return [] as [Start]
            }
            switch result {
            case .success(let output) where settings.isOrdered:
                state.entries[number] = .done(output, time)
            case .success(let output):
                state.drop(number)
                state.early.append(.element(output, time))
            case .failure(let error) where settings.isOrdered:
                // In its place: what came before is still emitted.
                state.entries[number] = .failed(Completion(throwing: error))
                state.hasFailed = true
            case .failure(let error):
                state.fail(Completion(throwing: error))
            }
            return state.start(upTo: settings.limit)
        }
        run(starts)
        run()
    }

    // MARK: To the sink

    func run() {
        receiver.withLock { $0 }?.run()
    }

    private func deliver(to sink: inout SinkHandle<Output>?) {
        while let handle = sink {
            let (signal, isOver) = state.withLock { state in (state.takeSignal(), state.isOver) }
            switch signal {
            case .element(let output, let time)?: handle.receive(output, time)
            case .watermark(let watermark)?: handle.advance(watermark)
            case .completion(let completion)?:
                sink = nil
                handle.finish(completion)
                cancel()
            case nil:
                if isOver { sink = nil }
                return
            }
        }
    }
}
