internal import CWeir
package import WeirCore

/// Elements on their way to an asynchronous iteration, which makes the thread that publishes wait while there is no
/// room.
package final class ValueBuffer<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var waiting = Deque<Element>()
        var completion: Completion?
        var reader: CheckedContinuation<Void, Never>?
        // The publisher waits for room.
        var isPublisherWaiting = false
        var isOver = false

        mutating func takeReader() -> CheckedContinuation<Void, Never>? { reader.take() }
    }

    private let capacity: Int
    private let onRoom: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait.
    ///   - onRoom: Called when half of the places are free, if the publisher waits for that, and at the end of the
    ///     iteration; on the thread that makes the room.
    package init(capacity: Int, onRoom: @escaping @Sendable () -> Void) {
        precondition(capacity > 0, "values: capacity must be positive, but is \(capacity)")
        self.capacity = capacity
        self.onRoom = onRoom
    }

    // MARK: From what publishes, one at a time

    /// Adds an element; what comes after the end of the iteration is released.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - waits: Whether the publisher waits where there is no room.
    /// - Returns: `false` when there is no room.
    package func add(_ element: Element, waitingForRoom waits: Bool) -> Bool {
        let (isDone, reader) = state.withLock { state in
            guard !state.isOver else { return (true, nil as CheckedContinuation<Void, Never>?) }
            guard state.waiting.count < capacity else {
                state.isPublisherWaiting = waits
                return (false, nil)
            }
            state.waiting.append(element)
            return (true, state.takeReader())
        }
        reader?.resume()
        return isDone
    }

    /// Makes the publisher wait for more room.
    ///
    /// - Returns: How many elements there is room for now; `nil` at the end of the iteration.
    package func waitForRoom() -> Int? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.isPublisherWaiting = true
            return capacity - state.waiting.count
        }
    }

    package func finish(_ completion: Completion) {
        let reader = state.withLock { state in
            state.completion = state.completion ?? completion
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Saves the elements that wait, and the end, or gives them back; while the publisher stands still.
    ///
    /// - Parameter exchange: Takes the fields.
    /// - Throws: `StateError`.
    package func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        exchange.require(capacity)
        var (waiting, completion, isOver) = state.withLock { ($0.waiting, $0.completion, $0.isOver) }
        try exchange.exchange(&waiting)
        try exchange.exchange(&completion)
        try exchange.exchange(&isOver)
        guard exchange.isRestoring else { return }
        state.withLock { [waiting, completion, isOver] state in
            (state.waiting, state.completion, state.isOver) = (waiting, completion, isOver)
        }
    }

    // MARK: From the iteration

    /// The next element; `nil` after the last.
    package func next() async throws -> Element? {
        while true {
            let (element, completion, wakesPublisher) = state.withLock { state in
                if let element = state.waiting.popFirst() {
                    let hasRoom = state.isPublisherWaiting && state.waiting.count <= capacity / 2
                    if hasRoom { state.isPublisherWaiting = false }
                    return (element as Element?, nil as Completion?, hasRoom)
                }
                return (nil, state.isOver ? .finished : state.completion, false)
            }
            if wakesPublisher { onRoom() }
            if let element { return element }
            if let completion {
                end()
                try completion.get()
                return nil
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.isOver || state.completion != nil || !state.waiting.isEmpty { return true }
                        precondition(state.reader == nil, "two tasks iterate over the same values; give each its own")
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                end()
            }
        }
    }

    /// Takes and keeps nothing any more; the iteration finds the end.
    package func end() {
        let (reader, dropped) = state.withLock { state in
            defer {
                state.isOver = true
                state.waiting = Deque()
            }
            return (state.takeReader(), state.waiting)
        }
        withExtendedLifetime(dropped) {}
        reader?.resume()
        onRoom()
    }
}

/// Passes elements to an iteration.
struct ValueBufferSink<Input: Sendable>: Sink {
    let buffer: ValueBuffer<Input>
    let room: Parker
    let dropped: SideOutput<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        while !buffer.add(element, waitingForRoom: Self.canWait) {
            guard Self.canWait else { return dropped.send(element, at: time) }
            room.park()
        }
    }

    /// A thread that runs tasks, or the main actor, may be the one that the iteration needs.
    private static var canWait: Bool {
        // Safety: the task is only looked for.
        unsafe !cweir_thread_is_main() && withUnsafeCurrentTask { unsafe $0 == nil }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        buffer.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("values")
        try state.exchange(dropped)
    }
}

/// Detaches when the iteration, and the sequence, have gone.
final class ValueSource<Element: Sendable>: Sendable {
    let buffer: ValueBuffer<Element>
    private let subscription: Subscription

    init(_ stream: some EventStream<Element>, capacity: Int, dropped: SideOutput<Element>) {
        let room = Parker()
        buffer = ValueBuffer(capacity: capacity) { room.unpark() }
        subscription = stream.attach(ValueBufferSink(buffer: buffer, room: room, dropped: dropped))
    }

    deinit {
        end()
    }

    func end() {
        buffer.end()
        subscription.cancel()
    }
}
