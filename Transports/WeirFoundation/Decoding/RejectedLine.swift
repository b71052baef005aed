internal import WeirCore
internal import WeirRecords

/// A line that was not understood.
public struct RejectedLine: Sendable, Hashable {
    /// The number of the line in the input, counted from 1.
    public let line: UInt64

    /// What is wrong with it.
    public let reason: String

    /// The beginning of the line, printable.
    public let excerpt: String
}

extension RecordBatch {
    /// What there is in the batch, in order: the values of its records, and the lines that gave none.
    func values<Value>(
        _ value: (borrowing RecordBatch, Int) throws -> Value
    ) -> (values: [Value], rejections: [RejectedLine]) {
        func excerpt(_ bytes: [UInt8]) -> String { Excerpt.of(bytes, limit: 120) }
        var values: [Value] = []
        values.reserveCapacity(count)
        var rejections = rejections.filter { !$0.isContinuation }.map {
            RejectedLine(line: $0.line, reason: $0.reason, excerpt: excerpt(raw($0)))
        }
        for index in 0..<count {
            do {
                values.append(try value(self, index))
            } catch {
                let reason = (error as? FieldError)?.description(in: schema) ?? DecodingFlaw.description(of: error)
                rejections.append(
                    RejectedLine(line: line(ofRecordAt: index), reason: reason, excerpt: excerpt(raw(recordAt: index)))
                )
            }
        }
        rejections.sort { $0.line < $1.line }
        return (values, rejections)
    }
}

/// Describes why a value could not be decoded.
enum DecodingFlaw {
    /// The error in words, with the name of the field.
    static func description(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "field '\(path(context, key))' is missing"
        case DecodingError.valueNotFound(_, let context): "field '\(path(context))' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.debugDescription : "field '\(path(context))' \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
    }
}
