internal import WeirCore
internal import WeirRecords

/// Writes bytes to a recording, each piece with the time of its arrival.
///
/// Each piece is whole in the file when ``write(_:)`` returns, so that a program that is ended at any time leaves a
/// recording that is whole up to the last piece. After an error nothing of that write is in the file. What was in the file stays until the first write or the end.
final class ArrivalSink: TransportSink {
    let meter: TransportMeter? = TransportMeter()

    private let storage: any RecordingStorage
    private let creation: Timestamp
    private let clock: any TimeSource
    private let longest: Int
    /// How much of the file is whole; `nil` until the recording begins.
    private var length: Int?
    /// How much of what was there stays.
    private let keptLength: Int
    private var frame: [UInt8] = []

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - storage: The file.
    ///   - creation: When the recording begins.
    ///   - clock: Says what time it is; should not be set meanwhile.
    ///   - longest: How many bytes one piece has at most; what is written at once and has no more is one.
    ///   - appends: Whether it goes on behind the last whole piece of the recording that is there, and not in its place.
    /// - Throws: ``RecordingError``; with `appends` also for what is no such recording, or is damaged.
    init(
        _ storage: any RecordingStorage,
        creation: Timestamp,
        clock: any TimeSource,
        longest: Int = ArrivalFormat.longest,
        appends: Bool = false
    ) throws(RecordingError) {
        self.storage = storage
        self.creation = creation
        self.clock = clock
        self.longest = longest
        // Says so where it is no file.
        guard try storage.size() > 0, appends else {
            keptLength = 0
            return
        }
        var contents = try RecordingContents(storage)
        while try contents.next() != nil {}
        guard contents.types.allSatisfy({ $0 == ArrivalFormat.typeName }) else {
            throw .cannotOpen(path: storage.path, reason: "it is a recording of events, not of bytes that arrived")
        }
        // Without the name of its type there is no piece either.
        keptLength = contents.types.isEmpty ? 0 : contents.scanner.offset
        let cutCount = contents.scanner.cutBytes
        guard cutCount > 0 else { return }
        meter?.note("'\(storage.path)' ended within a piece; its \(cutCount) bytes are cut off")
    }

    /// Makes the file end where the next piece goes.
    private func begin() throws(RecordingError) -> Int {
        if let length { return length }
        try storage.truncate(to: keptLength)
        guard keptLength == 0 else {
            length = keptLength
            return keptLength
        }
        let start = ArrivalFormat.start(creation: creation)
        try storage.append(start)
        length = start.count
        return start.count
    }

    func finish() throws(TransportError) {
        do throws(RecordingError) {
            _ = try begin()
            try storage.synchronize()
        } catch {
            throw TransportError(error, path: storage.path, whileReading: false)
        }
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        let arrival = clock.now()
        var rest = bytes
        let start: Int
        do throws(RecordingError) {
            start = try begin()
        } catch {
            throw TransportError(error, path: storage.path, whileReading: false)
        }
        var length = start
        while !rest.isEmpty {
            let count = min(rest.count, longest)
            frame.removeAll(keepingCapacity: true)
            ArrivalFormat.append(rest.extracting(first: count), arrival: arrival, to: &frame)
            rest = rest.extracting(droppingFirst: count)
            do throws(RecordingError) {
                try storage.append(frame)
            } catch {
                // A part of the frame would look like damage when the file is written on, and the frames before it would
                // be there twice when all is written again.
                try? storage.truncate(to: start)
                throw TransportError(error, path: storage.path, whileReading: false)
            }
            length += frame.count
        }
        self.length = length
    }
}

/// The time of day when it was made, and then as much later as has really passed, however the clock is set meanwhile.
struct SteadyClock: TimeSource {
    private let origin: Timestamp
    private let start: Timestamp

    init() {
        origin = WallClock().now()
        start = MonotonicClock().now()
    }

    func now() -> Timestamp { origin + (MonotonicClock().now() - start) }
}
