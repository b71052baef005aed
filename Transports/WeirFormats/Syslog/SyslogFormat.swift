public import WeirCore
public import WeirRecords

/// Messages of syslog, a line or a frame each: RFC 5424, RFC 3164, and what programs make of the latter in files.
///
/// The fields are `facility` (0 to 23) and `severity` (0, the worst, to 7), `time`, `host`, `app`, `procid`, `msgid` and
/// `message`. The structured data of RFC 5424 is in `data`, as it was written, and each value in `data.ID.NAME`, such as
/// `data.origin.ip`. What a message lacks, or has as `-`, is absent.
///
/// - A message begins with `<PRI>`; in files it may begin with its time.
/// - Behind `<PRI>1` RFC 5424 holds, and what breaks its rules is rejected.
/// - Everything else is read as RFC 3164 describes it: a time, a host, which messages of the own machine lack, and a tag with
///   a number, such as `sshd[4711]:`. The time may be one of RFC 3339 too. Without a time, all behind `<PRI>` is the message.
/// - A time such as `Oct 11 22:14:15` has no year and no zone. It is read in the time zone of the schema, or else as UTC, and
///   as the latest one that is not over a day ahead of the clock.
/// - Lines end with a line feed, with or without a carriage return before it; blank ones are skipped. In a frame, line breaks
///   belong to the message, but for one at its end.
/// - What is not valid UTF-8, or too long, is rejected; a byte order mark before the message is no part of it.
///
/// What is written is RFC 5424. A facility and a severity may be numbers or names, such as `local0` and `error`; without
/// them a message is a notice of a user. Times are written as they are where RFC 5424 has such ones, otherwise in UTC. A
/// value that has no place in a message, such as a host with a blank, is refused.
///
///     let format = SyslogFormat()
public struct SyslogFormat: Format {
    public var name: String { "syslog" }

    public var summary: String { "messages of syslog, a line or a frame each (RFC 5424 and RFC 3164)" }

    /// True: what is no number by its meaning is text, such as a message that has digits alone.
    public var tellsTextFromNumbers: Bool { true }

    private let clock: any TimeSource
    private let isFramed: Bool

    /// Creates the format.
    ///
    /// - Parameter clock: Says which year it is.
    public init(clock: any TimeSource = WallClock()) {
        self.init(clock: clock, isFramed: false)
    }

    private init(clock: any TimeSource, isFramed: Bool) {
        self.clock = clock
        self.isFramed = isFramed
    }

    /// The same format with a message in each frame.
    var inFrames: SyslogFormat { SyslogFormat(clock: clock, isFramed: true) }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        SyslogDecoder(for: schema, limits: limits, clock: clock, isFramed: isFramed)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        let names = SyslogPart.allCases.map(\.name)
        if let field = schema.fields.first(where: { !names.contains($0.name) && SyslogDataName($0.name) == nil }) {
            let list = names.map { "'\($0)'" }.joined(separator: ", ")
            return
                "there is no place for the field '\(Excerpt.of(field.name.utf8, limit: 60))' in a message of syslog, "
                + "which has \(list) and values such as 'data.origin.ip'; --columns says what to write"
        }
        let hasData = schema.fields.contains { $0.name == SyslogPart.data.name }
        guard hasData, let field = schema.fields.first(where: { SyslogDataName($0.name) != nil }) else { return nil }
        return "'data' has all structured data of a message, so that '\(field.name)' cannot be written beside it; "
            + "--columns says what to write"
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        let lines = LineEncoder(SyslogWriter(schema), for: schema, hasLineBreaks: isFramed)
        return isFramed ? LengthFramedEncoder(lines) : lines
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? { SyslogFieldFinder() }
}

/// Knows the fields that every message may have.
struct SyslogFieldFinder: FieldFinder {
    var names: [String] { SyslogPart.allCases.map(\.name) }

    var isComplete: Bool { true }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int { bytes.count }
}

/// A part of a message.
enum SyslogPart: Int, CaseIterable {
    case facility, severity, time, host, app, procid, msgid, message, data

    /// The name of its field.
    var name: String { "\(self)" }
}
