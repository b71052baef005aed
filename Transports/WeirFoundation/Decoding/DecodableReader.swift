public import WeirCore
public import WeirRecords

/// Reads values that are only `Decodable` from bytes that arrive piece by piece.
///
/// This is the comfortable way, not the fast one: each record goes through Foundation or a `Decoder`, and allocates. An
/// event that conforms to `FieldDecodable` is read some ten times faster.
///
///     struct Reading: Event, Decodable {
///         let timestamp: Timestamp
///         let celsius: Double
///     }
///
///     let readings = EventChannel<Reading>()
///     var reader = DecodableReader(Reading.self, format: .csv)
///     try reader.read(bytes, into: readings) { print("line \($0.line): \($0.reason)") }
///     try reader.finish(into: readings) { print("line \($0.line): \($0.reason)") }
///
/// In both formats a `Date` or a `Timestamp` is a number in the time unit or an RFC 3339 text. In CSV a value's keys
/// are the header's names; an empty field is `nil` where the type has an optional, and the empty text where it has a
/// `String`; values in values are not possible.
///
/// Bad lines cost only themselves. Memory: the longest line and the events of one piece.
public struct DecodableReader<Output: Decodable & Sendable>: ~Copyable {
    private var values: any ValueDecoder
    private var batch: RecordBatch
    private var pending: [UInt8] = []

    /// Creates a reader at the start of an input.
    ///
    /// - Parameters:
    ///   - type: What is read.
    ///   - format: How it is written.
    ///   - timeUnit: What a time that is written as a bare number counts.
    ///   - limits: What may be taken of an input that cannot be trusted.
    public init(
        _ type: Output.Type = Output.self,
        format: DecodableFormat,
        timeUnit: TimeUnit = .milliseconds,
        limits: FormatLimits = FormatLimits()
    ) {
        let schema = RecordSchema(fields: [], timeUnit: timeUnit)
        batch = RecordBatch(schema: schema)
        values = format.makeValueDecoder(for: schema, limits: limits)
    }

    /// Reads the next piece of the input.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow the last piece; they may end anywhere.
    ///   - onEvents: Takes what was read, oldest first; called as often as needed.
    ///   - onRejection: Takes each line that was not understood.
    /// - Throws: `FormatError` when the input as a whole cannot be read.
    public mutating func read(
        _ bytes: some Sequence<UInt8>,
        onEvents: ([Output]) -> Void,
        onRejection: (RejectedLine) -> Void
    ) throws(FormatError) {
        pending.append(contentsOf: bytes)
        try decode(isFinal: false, onEvents, onRejection)
    }

    /// Reads what is left when the input has ended.
    ///
    /// - Parameters:
    ///   - onEvents: Takes what was read, oldest first.
    ///   - onRejection: Takes each line that was not understood.
    /// - Throws: `FormatError` when the input as a whole cannot be read.
    public mutating func finish(
        onEvents: ([Output]) -> Void,
        onRejection: (RejectedLine) -> Void
    ) throws(FormatError) {
        try decode(isFinal: true, onEvents, onRejection)
    }

    private mutating func decode(
        isFinal: Bool,
        _ onEvents: ([Output]) -> Void,
        _ onRejection: (RejectedLine) -> Void
    ) throws(FormatError) {
        var start = 0
        while start < pending.count {
            let step = unsafe pending.withUnsafeBytes { bytes in
                unsafe Self.step(UnsafeRawBufferPointer(rebasing: bytes[start...]), isFinal: isFinal, &values, &batch)
            }
            let (consumed, events, rejections) = try step.get()
            rejections.forEach(onRejection)
            if !events.isEmpty { onEvents(events) }
            if consumed == 0 { break }
            start += consumed
        }
        pending.removeFirst(start)
    }

    private typealias Step = (consumed: Int, events: [Output], rejections: [RejectedLine])

    /// Reads until the batch is full or no whole record is left.
    private static func step(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        _ values: inout any ValueDecoder,
        _ batch: inout RecordBatch
    ) -> Result<Step, FormatError> {
        unsafe batch.begin(in: bytes)
        let consumed: Int
        do throws(FormatError) {
            consumed = unsafe try values.decode(bytes, isFinal: isFinal, into: &batch)
        } catch {
            return .failure(error)
        }
        let (events, rejections) = batch.values { batch, index in
            try values.value(Output.self, ofRecordAt: index, in: batch)
        }
        return .success((consumed, events, rejections))
    }
}

extension DecodableReader {
    /// Reads the next piece of the input and publishes the events; one that has no time of its own gets that of its arrival.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow the last piece; they may end anywhere.
    ///   - channel: Where the events go.
    ///   - onRejection: Takes each line that was not understood.
    /// - Throws: `FormatError` when the input as a whole cannot be read.
    public mutating func read(
        _ bytes: some Sequence<UInt8>,
        into channel: EventChannel<Output>,
        onRejection: (RejectedLine) -> Void
    ) throws(FormatError) {
        try read(bytes, onEvents: { channel.publish(contentsOf: $0) }, onRejection: onRejection)
    }

    /// Publishes the events that are left when the input has ended; the channel is not finished.
    ///
    /// - Parameters:
    ///   - channel: Where the events go.
    ///   - onRejection: Takes each line that was not understood.
    /// - Throws: `FormatError` when the input as a whole cannot be read.
    public mutating func finish(
        into channel: EventChannel<Output>,
        onRejection: (RejectedLine) -> Void
    ) throws(FormatError) {
        try finish(onEvents: { channel.publish(contentsOf: $0) }, onRejection: onRejection)
    }
}
