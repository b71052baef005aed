import WeirRecords

@testable import weir

extension MatchStyler {
    /// Writes matches that are lines of a library.
    mutating func write(_ lines: [UInt8]) -> [UInt8] {
        guard case .items(let read) = MatchForm.styled else { preconditionFailure("styles are written from items") }
        var items: [UInt8] = []
        for line in lines.split(separator: UInt8(ascii: "\n")) { read(Array(line), &items) }
        var text: [UInt8] = []
        append(items, to: &text)
        return text
    }
}
