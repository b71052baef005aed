internal import WeirCore
public import WeirRecords

/// JSON: one array of objects, or objects that follow each other, laid out in any way, in UTF-8.
///
/// ```swift
/// import WeirFormats
///
/// let format = JSONFormat()
/// ```
///
/// - The first byte that is no blank says which: `[` begins an array, whose elements are the records. Everything else is a
///   series of objects, of which each may fill a line, as in JSON Lines, or many.
/// - A byte order mark at the start is skipped. Everything is checked as in JSON Lines (``JSONLinesFormat``), and fields have
///   the same names. A record's line is the one in which its object begins.
/// - An object with a flaw is rejected. It ends where its braces close; a string in it ends with its line at the latest. Where
///   a brace is missing, it ends before the next object that starts a line, no further to the right than itself. So a flaw
///   costs one element; one in braces, brackets or quotes may cost the rest of its line.
/// - Other values than objects are rejected, and so is what stands behind the array; but when an object follows there, the
///   bracket did not end it. A comma too few or too many, and an array that is not closed or goes on behind its end, are
///   reported as a rejection without bytes, or with those of the comma.
/// - An element that is longer than the limit is rejected, as a line is.
/// - Outputs are one array, with an object per line. What reads a growing output, or messages, takes JSON Lines.
public struct JSONFormat: Format {
    public var name: String { "json" }

    public var summary: String { "JSON: an array of objects, or objects one after the other" }

    public var tellsTextFromNumbers: Bool { true }

    private let otherFields: JSONLinesDecoder.OtherFields

    /// Creates the format.
    public init() {
        self.init(otherFields: .pass)
    }

    private init(otherFields: JSONLinesDecoder.OtherFields) {
        self.otherFields = otherFields
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        JSONObjectsDecoder(for: schema, limits: limits, otherFields: otherFields)
    }

    public func rejectingOtherFields() -> any Format { JSONFormat(otherFields: .reject) }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? { JSONArrayEncoder(for: schema) }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        CollectingFieldFinder(
            JSONObjectsDecoder(for: RecordSchema(fields: []), limits: limits, otherFields: .collect)
        )
    }
}

extension JSONFormat {
    /// Whether bytes are JSON without an object: a value, or arrays one after the other, of which the last may be cut off.
    package static func isWithoutObjects(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(UInt8(ascii: "{")) else { return false }
        return unsafe bytes.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return false }
            var cursor = unsafe JSONCursor(base, from: 0, to: all.count)
            unsafe cursor.skipBlanks()
            let isArray = unsafe cursor.byte == UInt8(ascii: "[")
            do throws(JSONFlaw) {
                repeat {
                    unsafe try cursor.nested(depth: 0)
                    unsafe cursor.skipBlanks()
                } while unsafe isArray && cursor.byte == UInt8(ascii: "[")
            } catch {
                return isArray && error.offset == all.count
            }
            return unsafe cursor.place == all.count
        }
    }
}
