/// Says in words why a value could not be decoded.
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
