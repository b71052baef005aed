internal import WeirCore

/// Rejects unknown keys of a document, which would be ignored otherwise.
package enum KnownKeys {
    private struct Name: CodingKey {
        let stringValue: String

        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    /// Checks the keys of an object.
    ///
    /// - Throws: ``SchemaError`` for the first unknown key, with the nearest known ones and the place in the document.
    package static func check(_ decoder: any Decoder, _ keys: [String]) throws {
        let given = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue).sorted()
        guard let unknown = given.first(where: { !keys.contains($0) }) else { return }
        let nearest = Suggestion.nearestNames(to: unknown, among: keys)
        let hint =
            nearest.isEmpty
            ? "the keys here are \(keys.joined(separator: ", "))"
            : "did you mean \(nearest.map { "'\($0)'" }.joined(separator: " or "))?"
        throw SchemaError.invalidDocument("unknown key '\(unknown)' \(place(of: decoder)); \(hint)")
    }

    /// Where in a document a decoder is, such as `in stages[0].quantifier`.
    package static func place(of decoder: any Decoder) -> String {
        var place = ""
        for key in decoder.codingPath {
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return place.isEmpty ? "at the top" : "in \(place)"
    }
}
