internal import WeirCore
public import WeirRecords

/// How an input is cut into frames, apart from the format of what is in them.
///
/// The host's option `framing=` takes the raw values.
public enum Framing: String, Sendable, Hashable, CaseIterable {
    /// No frames: the format finds where its records end, such as at line feeds.
    case newline

    /// Each frame is its length as an unsigned number of 32 bits, the highest byte first, and as many bytes.
    ///
    /// A frame holds any number of whole records: none goes on in the next frame, and the last one needs no line feed.
    /// Sources of datagrams hand out each datagram as such a frame, and so keep its ends: one event per datagram or
    /// many.
    case length

    /// One line for people.
    public var summary: String {
        switch self {
        case .newline: "records end where their format says, such as at a line feed"
        case .length: "frames of whole records, each after its length (32 bits, the highest byte first)"
        }
    }

    /// How many bytes a length takes.
    public static let lengthByteCount = 4

    /// Writes the length of a frame to the front of it.
    ///
    /// - Parameters:
    ///   - count: How many bytes the frame has, without its length; less than 4 GiB.
    ///   - header: Four bytes.
    public static func writeLength(_ count: Int, to header: inout MutableSpan<UInt8>) {
        precondition(header.count == lengthByteCount, "a length takes 4 bytes, not \(header.count)")
        let length = UInt32(count)
        for index in 0..<lengthByteCount {
            header[index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
        }
    }
}

extension Format {
    /// The same format in frames.
    ///
    /// - Parameter framing: How the input is cut.
    /// - Returns: A format of the same name.
    public func framed(by framing: Framing) -> any Format {
        switch framing {
        case .newline: self
        // A frame of syslog is one message, whatever line breaks are in it.
        case .length: (self as? SyslogFormat)?.inFrames ?? FramedFormat(self)
        }
    }
}

/// A format in frames that start with their length; see ``Framing/length``.
public struct FramedFormat<Base: Format>: Format {
    private let base: Base

    public var name: String { base.name }

    public var summary: String { base.summary }

    public var tellsTextFromNumbers: Bool { base.tellsTextFromNumbers }

    /// Creates the format.
    ///
    /// - Parameter base: The format of what is in the frames.
    public init(_ base: Base) {
        self.base = base
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        LengthFramedDecoder(base.makeDecoder(for: schema, limits: limits), limits: limits)
    }

    public func rejectingOtherFields() -> any Format {
        base.rejectingOtherFields().framed(by: .length)
    }

    public func refusal(of schema: OutputSchema) -> String? { base.refusal(of: schema) }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        base.makeEncoder(for: schema).map { LengthFramedEncoder($0) }
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        base.makeFieldFinder(limits: limits).map { LengthFramedFinder($0, limits: limits) }
    }
}
