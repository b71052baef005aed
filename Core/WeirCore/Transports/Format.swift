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
    /// than the line limit and one more byte before something is consumed.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow what was consumed so far; they may end anywhere.
    ///   - isFinal: Whether the input ends with these bytes.
    ///   - batch: Filled with places in `bytes`.
    /// - Returns: How many bytes were consumed. With `isFinal`, everything is consumed unless the batch is full.
    /// - Throws: ``FormatError`` when the input as a whole cannot be read.
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

    public var description: String {
        switch self {
        case .missingFields(let names, let available):
            "the input has no field \(names.map { "'\($0)'" }.joined(separator: ", ")); its header has "
                + available.map { "'\($0)'" }.joined(separator: ", ")
        case .duplicateField(let name): "the header names the field '\(name)' twice"
        case .badHeader(let reason): "the header cannot be read: \(reason)"
        }
    }
}
