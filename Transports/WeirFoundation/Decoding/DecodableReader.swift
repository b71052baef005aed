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
        batch = RecordBatch(schema: RecordSchema(fields: [], timeUnit: timeUnit))
        values =
            switch format {
            case .csv: CSVValueDecoder(timeUnit: timeUnit, limits: limits)
            case .jsonLines: JSONValueDecoder(timeUnit: timeUnit, limits: limits)
            }
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
        var events: [Output] = []
        var rejections: [RejectedLine] = []
        for rejection in batch.rejections where !rejection.isContinuation {
            rejections.append(
                RejectedLine(line: rejection.line, reason: rejection.reason, excerpt: excerpt(batch.raw(rejection)))
            )
        }
        for index in 0..<batch.count {
            do {
                events.append(try values.value(Output.self, ofRecordAt: index, in: batch))
            } catch {
                rejections.append(
                    RejectedLine(
                        line: batch.line(ofRecordAt: index),
                        reason: DecodingFlaw.description(of: error),
                        excerpt: excerpt(batch.raw(recordAt: index))
                    )
                )
            }
        }
        rejections.sort { $0.line < $1.line }
        return .success((consumed, events, rejections))
    }

    private static func excerpt(_ bytes: [UInt8]) -> String {
        Excerpt.of(bytes, limit: 120)
    }
}

extension DecodableReader where Output: Event {
    /// Reads the next piece of the input and publishes the events.
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

/// The formats that ``DecodableReader`` reads.
public enum DecodableFormat: String, Sendable, CaseIterable {
    /// Comma-separated values; the header's names are the coding keys.
    case csv
    /// JSON Lines, one object per line.
    case jsonLines = "jsonl"
}

/// A line that was not understood.
public struct RejectedLine: Sendable, Hashable {
    /// The number of the line in the input, counted from 1.
    public let line: UInt64

    /// What is wrong with it.
    public let reason: String

    /// The beginning of the line, printable.
    public let excerpt: String
}

/// Finds records and makes values of them, in one format.
protocol ValueDecoder {
    /// Finds records as a `RecordDecoder` does.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int

    /// Makes a value of a record.
    func value<Value: Decodable>(
        _ type: Value.Type,
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch
    ) throws -> Value
}

/// Describes why a value could not be decoded.
enum DecodingFlaw {
    /// The error in words, with the name of the field.
    static func description(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "field '\(path(context, key))' is missing"
        case DecodingError.valueNotFound(_, let context): "field '\(path(context))' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.debugDescription : "field '\(path(context))' \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
    }
}
