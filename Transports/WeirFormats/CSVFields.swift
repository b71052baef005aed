internal import WeirCore
internal import WeirRecords

/// The places of the fields of one CSV record without a flaw.
@unsafe
struct CSVFields {
    /// A field: its bytes are between the quotes, if it has any.
    struct Field {
        var start: Int
        var length: Int
        var encoding: FieldEncoding
        var isQuoted: Bool
    }

    private let base: UnsafePointer<UInt8>
    private let end: Int
    private let dialect: CSVDialect
    private var next: Int?

    /// Creates the places of the record from `start` to `end`, where the line's end is.
    init(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, _ dialect: CSVDialect) {
        unsafe self.dialect = dialect
        unsafe self.base = base
        unsafe self.end = end
        unsafe self.next = start
    }

    /// The next field, from left to right; a record has at least one.
    mutating func nextField() -> Field? {
        guard let start = unsafe next else { return nil }
        var field = Field(start: start, length: 0, encoding: .plain, isQuoted: false)
        let fieldEnd: Int
        if unsafe dialect.hasQuotes && start < end && base[start] == UInt8(ascii: "\"") {
            let textEnd = unsafe closingQuote(from: start + 1, encoding: &field.encoding)
            field.start += 1
            field.length = textEnd - field.start
            field.isQuoted = true
            fieldEnd = textEnd + 1
        } else {
            fieldEnd = unsafe ByteSearch.index(of: dialect.delimiter, in: base, from: start, to: end)
            field.length = fieldEnd - start
        }
        unsafe next = unsafe fieldEnd < end ? fieldEnd + 1 : nil
        return field
    }

    private func closingQuote(from start: Int, encoding: inout FieldEncoding) -> Int {
        var index = start
        while true {
            index = unsafe ByteSearch.index(of: UInt8(ascii: "\""), in: base, from: index, to: end)
            guard unsafe index + 1 < end, unsafe base[index + 1] == UInt8(ascii: "\"") else { return index }
            encoding = .doubledQuotes
            index += 2
        }
    }
}
