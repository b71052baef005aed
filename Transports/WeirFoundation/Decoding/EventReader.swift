internal import Dispatch
public import WeirCore
internal import WeirFiles
public import WeirRecords

/// Reads events from a file or from standard input, each when it is asked for.
///
///     struct Reading: Event, Decodable {
///         let timestamp: Timestamp
///         let celsius: Double
///     }
///
///     for try await reading in try EventReader(Reading.self, from: .file("readings.csv")) {
///         print(reading.celsius)
///     }
///
/// As a stream, for the operators:
///
///     let readings = AsyncValues(try EventReader(Reading.self, from: .file("readings.csv")), at: \.timestamp)
///     readings.filter { $0.celsius > 30 }.subscribe { print($0) }
///
/// What is `Decodable` is read as ``DecodableReader`` says; what is `FieldDecodable` is read some ten times faster. A
/// line that was not understood costs only itself: it is counted, and offered to `onRejection`.
///
/// The events go through one pass: what an iterator has taken, no other one gets. A reader waits on a thread of its own,
/// not on one that other tasks need. When its task is cancelled, the waiting ends and the iteration with it.
///
/// Memory: one batch of events and one buffer, which holds the longest line, for an input of any size. Thread safety: any
/// thread.
public final class EventReader<Output: Sendable>: Sendable {
    private let batches: EventBatches<Output>

    /// How many events were read so far.
    public var eventCount: UInt64 { batches.counts.withLock { $0.events } }

    /// How many lines were not understood so far.
    public var rejectedCount: UInt64 { batches.counts.withLock { $0.rejected } }

    init(_ batches: EventBatches<Output>) {
        self.batches = batches
    }

    /// The next events, or `nil` at the end.
    func nextBatch() async throws(ReadingError) -> [Output]? {
        try await batches.next().get()
    }
}

extension EventReader: AsyncSequence {
    public typealias Element = Output
    public typealias Failure = ReadingError

    /// Iterates over what has not been read yet.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Takes one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: EventReader
        private var batch: [Output] = []
        private var position = 0

        fileprivate init(_ reader: EventReader) {
            self.reader = reader
        }

        /// The next event, or `nil` at the end and once the task is cancelled.
        ///
        /// - Throws: ``ReadingError`` when the input breaks off, or as a whole cannot be read.
        /// - Complexity: O(1) and no suspension for most events; one suspension for each batch.
        public mutating func next() async throws(ReadingError) -> Output? {
            try await next(isolation: nil)
        }

        /// The next event, or `nil` at the end and once the task is cancelled.
        ///
        /// - Throws: ``ReadingError`` when the input breaks off, or as a whole cannot be read.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ReadingError) -> Output? {
            if position == batch.count {
                guard !Task.isCancelled, let next = try await reader.nextBatch() else { return nil }
                batch = next
                position = 0
            }
            position += 1
            return batch[position - 1]
        }
    }
}

extension EventReader {
    /// Publishes all events that have not been read yet, and then finishes the channel; one that has no time of its own gets
    /// that of its arrival.
    ///
    ///     let readings = EventChannel<Reading>()
    ///     readings.filter { $0.celsius > 30 }.subscribe { print($0) }
    ///     try await EventReader(Reading.self, from: .file("readings.csv")).read(into: readings)
    ///
    /// The operators run between two batches: nothing is read ahead of them. Where the input breaks off, the channel is
    /// finished with the error; where the task is cancelled, as interrupted.
    ///
    /// - Parameters:
    ///   - channel: Where the events go.
    ///   - finishing: Whether the channel is finished at the end; `false` where other inputs follow.
    /// - Throws: ``ReadingError`` when the input breaks off, or as a whole cannot be read.
    public func read(into channel: EventChannel<Output>, finishing: Bool = true) async throws(ReadingError) {
        do throws(ReadingError) {
            while !Task.isCancelled, let batch = try await nextBatch() { channel.publish(contentsOf: batch) }
        } catch {
            if finishing { channel.finish(.failed(error)) }
            throw error
        }
        if finishing { channel.finish(Task.isCancelled ? .interrupted : .finished) }
    }
}

/// Why an input cannot be read, or not to its end.
public enum ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It cannot be opened, or broke off.
    case transport(TransportError)
    /// It as a whole cannot be read, such as a table whose header lacks a field.
    case format(FormatError)

    public var description: String {
        switch self {
        case .transport(let error): error.description
        case .format(let error): error.description
        }
    }
}

/// Makes batches of events on a thread that may wait.
///
/// Safety of `@unchecked Sendable`: the reader and the closure are used on the serial queue alone, and the last reference
/// frees them when nothing runs there, because what runs there has one; all else is `Sendable`.
final class EventBatches<Output: Sendable>: @unchecked Sendable {
    let counts = Locked((events: UInt64(0), rejected: UInt64(0)))

    private let queue = DispatchQueue(label: "weir.reader")
    private var reader: RecordReader
    private let value: (borrowing RecordBatch, Int) throws -> Output
    private let interruption: Interruption
    private let onRejection: @Sendable (RejectedLine) -> Void

    init(
        _ reader: consuming RecordReader,
        interruption: Interruption,
        onRejection: @escaping @Sendable (RejectedLine) -> Void,
        value: @escaping (borrowing RecordBatch, Int) throws -> Output
    ) {
        self.reader = reader
        self.value = value
        self.interruption = interruption
        self.onRejection = onRejection
    }

    /// The next events, at least one, or `nil` at the end and once the task is cancelled.
    func next() async -> Result<[Output]?, ReadingError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.read()) }
            }
        } onCancel: {
            interruption.trigger()
        }
    }

    private func read() -> Result<[Output]?, ReadingError> {
        var events: [Output] = []
        do {
            while events.isEmpty {
                guard try reader.next({ batch in events = take(batch) }) else { return .success(nil) }
            }
            return .success(events)
        } catch TransportError.interrupted {
            return .success(nil)
        } catch let error as TransportError {
            return .failure(.transport(error))
        } catch let error as FormatError {
            return .failure(.format(error))
        } catch {
            preconditionFailure("a reader of records throws nothing else: \(error)")
        }
    }

    private func take(_ batch: borrowing RecordBatch) -> [Output] {
        let (events, rejections) = batch.values(value)
        counts.withLock { counts in
            counts.events += UInt64(events.count)
            counts.rejected += UInt64(rejections.count)
        }
        rejections.forEach(onRejection)
        return events
    }
}
