/// A way to write records as bytes, such as CSV.
public protocol Format: Sendable {
    /// The name that the host's `--format` takes.
    var name: String { get }

    /// One line for people.
    var summary: String { get }

    /// Makes a decoder for one input.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - limits: What the decoder may take.
    /// - Returns: A decoder at the start of its input.
    func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder

    /// Whether the format tells text from numbers, as JSON does and CSV does not.
    var tellsTextFromNumbers: Bool { get }

    /// The same format, in which records with fields that nobody wants are rejected and not cut down in silence.
    ///
    /// - Returns: The format; itself where its header says once and for all which fields there are.
    func rejectingOtherFields() -> any Format

    /// Why the fields of an output cannot be written, such as a name that the format cannot express.
    ///
    /// - Parameter schema: What to write.
    /// - Returns: One line for people; `nil` where they can be written.
    func refusal(of schema: OutputSchema) -> String?

    /// Makes an encoder for one output.
    ///
    /// - Parameter schema: What to write.
    /// - Returns: An encoder at the start of its output; `nil` when the format can only be read.
    func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)?

    /// Makes what finds out which fields an input has.
    ///
    /// - Parameter limits: What it may take.
    /// - Returns: A finder at the start of its input; `nil` when the format cannot tell.
    func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)?
}

extension Format {
    /// False.
    public var tellsTextFromNumbers: Bool { false }

    /// The format itself.
    public func rejectingOtherFields() -> any Format { self }

    /// None: all fields can be written.
    public func refusal(of schema: OutputSchema) -> String? { nil }

    /// None: the format can only be read.
    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? { nil }

    /// None: the format cannot tell.
    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? { nil }
}

/// What a decoder may take of an input that it cannot trust.
public struct FormatLimits: Sendable, Hashable {
    /// The longest line that is still read, in bytes; longer ones are rejected.
    public var lineLength: Int

    /// Creates limits.
    ///
    /// - Parameter lineLength: The longest line that is still read, in bytes, from 16 to 1 GiB.
    public init(lineLength: Int = 1 << 20) {
        precondition((16...1 << 30).contains(lineLength), "a line limit is from 16 bytes to 1 GiB, not \(lineLength)")
        self.lineLength = lineLength
    }
}

/// Finds records in bytes; holds the state of one input (line number, header).
///
/// Bad input costs only itself: a line that is not understood is rejected, and the next one is read as if nothing had
/// happened.
public protocol RecordDecoder {
    /// Finds the records at the start of `bytes`, until the batch is full or the rest is no whole record.
    ///
    /// The batch was begun in the same bytes. When nothing was consumed, the batch is empty and `isFinal` is false,
    /// the caller reads more and calls again with the same bytes and what follows them; it never needs to hold more
    /// than the line limit and one more byte before something is consumed. A decoder of blocks may fill the batch
    /// without consuming anything: the caller uses the batch, and calls again with the same bytes. It may also end a batch
    /// that is not full behind a block, when `isFinal` is false. With `isFinal` and a
    /// full batch it calls again even when everything was consumed: something may be left to say about the end.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow what was consumed so far; they may end anywhere.
    ///   - isFinal: Whether the input, or the frame that the bytes came in, ends with them: a record ends there too. The
    ///     next call after that, if there is one, is about the next frame.
    ///   - batch: Filled with places in `bytes`, counted from their start.
    /// - Returns: How many bytes were consumed. With `isFinal`, everything is consumed unless the batch is full.
    /// - Throws: ``FormatError`` when the input as a whole cannot be read; what is in the batch then came before that.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int
}

/// Why an input as a whole cannot be read.
public enum FormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The header lacks fields that are needed.
    case missingFields([String], available: [String])
    /// The header names a field twice that is wanted.
    case duplicateField(String)
    /// The header is not valid; the reason.
    case badHeader(String)
    /// The bytes are compressed; the program that decompresses them.
    case compressed(String)

    public var description: String {
        switch self {
        case .missingFields(let names, let available):
            "the input has no field \(names.map { "'\($0)'" }.joined(separator: ", ")); its header has "
                + available.map { "'\($0)'" }.joined(separator: ", ")
        case .duplicateField(let name): "the header names the field '\(name)' twice"
        case .compressed(let program): "it is compressed; '\(program) -dc' makes text of it"
        case .badHeader(let reason): "the header cannot be read: \(reason)"
        }
    }
}
