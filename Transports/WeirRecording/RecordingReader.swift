public import WeirCore

/// Reads a recording, event by event.
///
///     var reader = try RecordingReader(path: "readings.recording")
///     while let event = try reader.next() {
///         print(event.typeName, event.dispatchTime)
///     }
///
/// The reader sees the file as long as it was when it was opened; a recorder may go on writing to it.
///
/// Thread safety: one thread at a time holds it.
///
/// - Complexity: memory is bounded by the largest event, and one entry per type and key.
public struct RecordingReader: ~Copyable {
    private var contents: RecordingContents

    /// When the recording was begun; nil when even that was not completely written.
    public let creation: Timestamp?

    /// How many events were read.
    public private(set) var readCount = 0

    /// Opens a recording.
    ///
    /// - Parameter path: The file.
    /// - Throws: `RecordingError`.
    public init(path: String) throws(RecordingError) {
        try self.init(storage: FileStorage(path: path, writing: false))
    }

    package init(storage: any RecordingStorage) throws(RecordingError) {
        contents = try RecordingContents(storage)
        creation = contents.scanner.creation.map { Timestamp(nanosecondsSinceEpoch: $0) }
    }

    /// How many bytes after the last whole event belong to one that was never completed; known when ``next()`` has
    /// returned nil.
    public var cutBytes: Int { contents.scanner.cutBytes }

    /// Reads the next event.
    ///
    /// - Returns: The event; nil at the end of what was completely written.
    /// - Throws: `RecordingError/corrupted(offset:reason:)` or `RecordingError/readFailed(path:reason:)`; every
    ///   further call throws it again.
    public mutating func next() throws(RecordingError) -> RecordedEvent? {
        guard let frame = try contents.next() else { return nil }
        readCount += 1
        return RecordedEvent(
            typeName: contents.types[frame.type],
            eventTime: Timestamp(nanosecondsSinceEpoch: frame.eventTime),
            dispatchTime: Timestamp(nanosecondsSinceEpoch: frame.dispatchTime),
            priority: frame.priority,
            body: Array(contents.scanner.bytes[frame.body]),
            keys: contents.keys
        )
    }
}
