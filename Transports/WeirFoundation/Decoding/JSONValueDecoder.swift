internal import Foundation
internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Makes values of objects of JSON, each through Foundation.
struct JSONValueDecoder: ValueDecoder {
    private var objects: any RecordDecoder
    private let decoder: JSONDecoder

    init(_ format: any Format, timeUnit: TimeUnit, limits: FormatLimits) {
        objects = format.makeDecoder(for: RecordSchema(fields: []), limits: limits)
        decoder = JSONDecoder()
        decoder.userInfo[.weirTimeUnit] = timeUnit
        decoder.userInfo[.weirNumberText] = Timestamp.exactText
        decoder.dateDecodingStrategy = .custom { try Date(Timestamp(from: $0)) }
    }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        unsafe try objects.decode(bytes, isFinal: isFinal, into: &batch)
    }

    func value<Value: Decodable>(
        _ type: Value.Type,
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch
    ) throws -> Value {
        try decoder.decode(type, from: Data(batch.raw(recordAt: index)))
    }
}

extension Timestamp {
    /// Reads the text of a time with all of its digits, which `Double` could not hold.
    static let exactText: TextReader = { decoder in
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) { return text }
        return try container.decode(Decimal.self).description
    }
}
