internal import WeirCore

/// Writes bytes to a recording, each piece with the time of its arrival.
///
/// Each piece is whole in the file when ``write(_:)`` returns, so that a program that is ended at any time leaves a
/// recording that is whole up to the last piece.
final class ArrivalSink: TransportSink {
    private let storage: any RecordingStorage
    private let clock: any TimeSource
    private var length: Int
    private var frame: [UInt8] = []

    /// Begins a recording; what was in the file is lost.
    ///
    /// - Parameters:
    ///   - storage: The file.
    ///   - creation: When the recording begins.
    ///   - clock: Says what time it is; should not be set meanwhile.
    /// - Throws: ``RecordingError``.
    init(_ storage: any RecordingStorage, creation: Timestamp, clock: any TimeSource) throws(RecordingError) {
        self.storage = storage
        self.clock = clock
        // Says so where it is no file.
        _ = try storage.size()
        let start = ArrivalFormat.start(creation: creation)
        try storage.truncate(to: 0)
        try storage.append(start)
        length = start.count
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        let arrival = clock.now()
        var rest = bytes
        while !rest.isEmpty {
            let count = min(rest.count, ArrivalFormat.longest)
            frame.removeAll(keepingCapacity: true)
            ArrivalFormat.append(rest.extracting(first: count), arrival: arrival, to: &frame)
            rest = rest.extracting(droppingFirst: count)
            do throws(RecordingError) {
                try storage.append(frame)
            } catch {
                // A part of the frame would look like damage to whoever went on after it.
                try? storage.truncate(to: length)
                throw TransportError(error, path: storage.path, whileReading: false)
            }
            length += frame.count
        }
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
