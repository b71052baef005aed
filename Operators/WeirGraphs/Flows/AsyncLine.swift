internal import WeirCore

/// What tasks have made, until their stage takes it; the only part of them that other threads touch.
final class AsyncResults<Output: Sendable>: Sendable {
    private let finished = Locked<[(number: Int, result: Result<Output, any Error>)]>([])
    private let wake: Waker

    init(_ wake: Waker) {
        self.wake = wake
    }

    func add(_ number: Int, _ result: Result<Output, any Error>) {
        finished.withLock { $0.append((number, result)) }
        wake()
    }

    func take() -> [(number: Int, result: Result<Output, any Error>)] {
        finished.withLock { finished in
            defer { finished = [] }
            return finished
        }
    }
}

/// The elements of a stage that tasks work on; confined to the stage.
final class AsyncLine<Input: Sendable, Output: Sendable> {
    private enum Entry {
        case running(Timed<Input>)
        case done(Output, Timestamp)
        case watermark(Timestamp)
        case failed(Completion)
        case gone
    }

    private let limit: Int
    private let isOrdered: Bool
    private let supervision: Supervision
    private let transform: @Sendable (Input) async throws -> Output
    private let results: AsyncResults<Output>
    /// In the order of arrival, numbered from `first` on.
    private var entries: [Int: Entry] = [:]
    private var first = 0
    private var end = 0
    private var early = Deque<Timed<Output>>()
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// The elements from before a restart, whose work begins anew.
    private var restored: Range<Int> = 0..<0
    /// How many elements are at work, or done and not sent.
    private var heldCount = 0
    private var hasFailed: Bool { failure != nil }
    private var failure: Completion?

    init(
        limit: Int,
        isOrdered: Bool,
        supervision: Supervision,
        results: AsyncResults<Output>,
        transform: @escaping @Sendable (Input) async throws -> Output
    ) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.supervision = supervision
        self.results = results
        self.transform = transform
    }

    deinit {
        cancel()
    }

    private func cancel() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    func step(_ inlet: Wire<Input>, _ outlet: Wire<Output>) {
        if outlet.isClosed { return end(inlet) }
        for number in restored { if case .running(let element)? = entries[number] { begin(number, element.element) } }
        restored = 0..<0
        for (number, result) in results.take() { note(number, result) }
        while true {
            if let completion = send(to: outlet) {
                outlet.finish(completion)
                return end(inlet)
            }
            if !hasFailed, heldCount < limit, inlet.available > 0 {
                start(inlet.takeFirst())
            } else if let watermark = inlet.takeWatermark() {
                append(.watermark(watermark))
            } else {
                break
            }
        }
        if first == end, early.isEmpty, inlet.isDrained, let completion = inlet.completion {
            outlet.finish(completion)
            end(inlet)
        } else if !hasFailed, heldCount < limit {
            inlet.request(upTo: limit - heldCount)
        }
    }

    private func end<Element>(_ inlet: Wire<Element>) {
        cancel()
        inlet.cancel()
    }

    private func start(_ element: Timed<Input>) {
        let number = end
        append(.running(element))
        heldCount += 1
        begin(number, element.element)
    }

    private func begin(_ number: Int, _ input: Input) {
        let (transform, results) = (transform, results)
        tasks[number] = Task {
            do {
                results.add(number, .success(try await transform(input)))
            } catch {
                results.add(number, .failure(error))
            }
        }
    }

    private func append(_ entry: Entry) {
        if case .watermark = entry, end > first, case .watermark? = entries[end - 1] {
            // Of several in one place the last one stays.
            entries[end - 1] = entry
            return
        }
        entries[end] = entry
        end += 1
    }

    private func note(_ number: Int, _ result: Result<Output, any Error>) {
        tasks[number] = nil
        guard case .running(let element)? = entries[number] else { return }
        let time = element.time
        switch result {
        case .success(let output) where isOrdered: entries[number] = .done(output, time)
        case .success(let output):
            entries[number] = .gone
            early.append(Timed(output, at: time))
        case .failure(let error):
            if !(error is CancellationError), supervision.directive(for: error, at: time) != .stop {
                entries[number] = .gone
                heldCount -= 1
            } else {
                failure = failure ?? Completion(throwing: error)
                entries[number] = .failed(Completion(throwing: error))
            }
        }
    }

    /// Sends what is done and requested; returns how to end when that is next.
    private func send(to outlet: Wire<Output>) -> Completion? {
        while outlet.demand > 0, let next = early.popFirst() {
            heldCount -= 1
            outlet.push(next)
        }
        // These were done before the watermarks that come next.
        guard early.isEmpty else { return nil }
        if !isOrdered, let failure { return failure }
        while first < end {
            switch entries[first] {
            case .done(let output, let time)?:
                guard outlet.demand > 0 else { return nil }
                heldCount -= 1
                outlet.push(Timed(output, at: time))
            case .watermark(let watermark)?: outlet.advance(to: watermark)
            case .failed(let completion)?: return completion
            case .running?: return nil
            case .gone?, nil: break
            }
            entries[first] = nil
            first += 1
        }
        return nil
    }
}

// In checkpoints, elements that tasks work on are saved as such, so that their work is done again after a restart; results that
// wait for their turn are saved as they are.
extension AsyncLine {
    /// What is in flight: an element, the result of one, a failure, or otherwise a watermark.
    private typealias Saved = (input: Input?, output: Output?, completion: Completion?, time: Timestamp)

    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if state.isSaving { for (number, result) in results.take() { note(number, result) } }
        var saved: [Saved] = state.isSaving ? (first..<end).compactMap { savedEntry($0) } : []
        try state.exchange(&saved)
        try state.exchange(&early)
        try state.exchange(&failure)
        guard state.isRestoring else { return }
        for (input, output, completion, time) in saved {
            if let input {
                append(.running(Timed(input, at: time)))
                heldCount += 1
            } else if let output {
                append(.done(output, time))
                heldCount += 1
            } else if let completion {
                append(.failed(completion))
            } else {
                append(.watermark(time))
            }
        }
        heldCount += early.count
        restored = first..<end
    }

    private func savedEntry(_ number: Int) -> Saved? {
        switch entries[number] {
        case .running(let element)?: (element.element, nil, nil, element.time)
        case .done(let output, let time)?: (nil, output, nil, time)
        case .watermark(let watermark)?: (nil, nil, nil, watermark)
        case .failed(let completion)?: (nil, nil, completion, .distantPast)
        case .gone?, nil: nil
        }
    }
}
