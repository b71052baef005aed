internal import Foundation
internal import WeirCore
internal import WeirRecords

/// Decodes one row: a keyed container over the header's names.
struct CSVRowDecoder: Decoder {
    let columns: CSVColumns
    let cells: [String]

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [.weirTimeUnit: columns.timeUnit, .weirNumberText: Timestamp.exactText] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CSVRowContainer(row: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw mismatch([Any].self, "a CSV row is read by the names of its fields, not as an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw mismatch(String.self, "a CSV row is read by the names of its fields, not as one value")
    }

    private func mismatch(_ type: Any.Type, _ reason: String) -> DecodingError {
        .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: reason))
    }
}
