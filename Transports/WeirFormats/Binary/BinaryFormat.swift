internal import WeirCore
public import WeirRecords

/// Weir's own binary format: typed columns in blocks with checksums, behind a header that names the fields.
///
/// Made to be read in place: a number is read where it stands, an unused field costs nothing. It is about a
/// third to a half of the size of the same records as CSV.
///
/// ## The layout, version 1
///
/// All numbers are little-endian; *u8*, *u16*, *u32*, *u64* are without a sign. Checksums are CRC-32C (Castagnoli).
///
/// ```text
/// file    section*
/// section header block* end
/// ```
///
/// Sections can follow each other, so files can be concatenated.
///
/// ```text
/// header
///  0  8  the bytes 89 57 45 49 52 0D 0A 1A: an end of line and an end of file, which text modes would change
///  8  2  version: u16 = 1
/// 10  2  number of fields: u16
/// 12  4  length n of the descriptors: u32
/// 16  n  for each field: its type (u8), the length of its name (u16), its name (UTF-8)
///  …  4  checksum of all bytes before it in the header
/// ```
///
/// ```text
/// block
///  0  4  "WBLK"
///  4  4  length n of the columns: u32
///  8  4  number of records: u32, from 1 to 65,536
/// 12  4  checksum of the columns
/// 16  4  checksum of the 16 bytes before it
/// 20  n  for each field in the header's order: a column
/// ```
///
/// ```text
/// end
///  0  4  "WEND"
///  4  8  number of records in the section: u64
/// 12  4  checksum of the 12 bytes before it
/// ```
///
/// ```text
/// column of r records
///  0  1  encoding: u8, see below
///  1  1  flags: 1 if there are states, 2 if there are scales, everything else is 0
///  2  1  width w of a value, in bytes
///  3  1  scale of all values, where there are no scales
///  4  4  length of what follows: u32
///  …     states, if there are any: 2 bits for each record, from the low bits of a byte to the high ones:
///        0 there is a value, 1 it is null, 2 the record has no such field, 3 it is the empty text; ⌈r/4⌉ bytes
///  …     scales, if there are any: r bytes
///  …     values; where there is none, something of the same size stands in its place
/// ```
///
/// | encoding | | w | values |
/// |---|---|---|---|
/// | 1 | integer | 1, 2, 4, 8 | r numbers in two's complement |
/// | 2 | decimal | 1, 2, 4, 8 | r numbers in two's complement, each divided by 10 to the power of its scale (the low 7 bits); the high bit of a scale makes zero minus zero |
/// | 3 | float | 8 | r doubles (IEEE 754 binary64), neither infinite nor NaN |
/// | 4 | boolean | 1 | r bytes, 0 or 1 |
/// | 5 | time | 8 | r numbers in two's complement: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds |
/// | 6 | text | 4 | r + 1 places (u32) in the bytes that follow, the first 0, the last their number; then the bytes: UTF-8 |
/// | 7 | json | 4 | like text; the first byte of each value says what the others are: 0 text, 1 a JSON number, `true` or `false`, 2 a JSON array or object |
/// | 8 | words | 1 | the number of different words d (u32, from 1 to 256), d + 1 places (u32) and the bytes like text; then r bytes: which word |
///
/// A field's type in the header is the number of an encoding: the type that was declared for it, or that of its values
/// in the first block (6 for words); 0 where there were none. A block may store a column in another encoding that holds
/// all of its values, so nothing is lost where the type turns out to be too narrow.
///
/// ## Damage
///
/// A block whose checksum is wrong is rejected as a whole, and reading goes on at the next one, also when lengths are
/// damaged: then the next block is searched for. A torn tail is rejected: the end of the input inside of a block, or
/// without an end. An end that counts another number of records is rejected, too. Blocks longer than the line limit are
/// rejected without being held; an encoder makes blocks of up to 64 KiB, and longer ones only for single records.
///
/// A record's line is its number, counted from 1. It has no bytes of its own, so a consumer that refuses it has none to
/// keep.
public struct BinaryFormat: Format {
    public var name: String { "binary" }

    public var summary: String { "Weir's own: typed columns with checksums, the fastest to read (.weir)" }

    public var tellsTextFromNumbers: Bool { true }

    private let rejectsOtherFields: Bool

    /// Creates the format.
    public init() {
        self.init(rejectsOtherFields: false)
    }

    private init(rejectsOtherFields: Bool) {
        self.rejectsOtherFields = rejectsOtherFields
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        BinaryDecoder(for: schema, limits: limits, rejectsOtherFields: rejectsOtherFields)
    }

    public func rejectingOtherFields() -> any Format {
        BinaryFormat(rejectsOtherFields: true)
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        BinaryEncoder(for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        BinaryFieldFinder(limits: limits)
    }
}
