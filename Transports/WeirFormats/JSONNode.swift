package import WeirRecords

/// A place in a text, counted from 1.
package struct TextPlace: Sendable, Hashable {
    package var line = 1
    package var column = 1
}

/// Why a text is not JSON.
package struct JSONError: Error {
    package let place: TextPlace
    package let reason: String
}

/// A JSON value that knows where it was written.
package struct JSONNode: Sendable {
    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let place: TextPlace
        package let value: JSONNode
    }

    package enum Value: Sendable {
        case null
        case boolean(Bool)
        /// As it was written.
        case number(String)
        case text(String)
        case array([JSONNode])
        case object([Member])

        /// What it is, for messages.
        package var kind: String {
            switch self {
            case .null: "null"
            case .boolean: "true or false"
            case .number: "a number"
            case .text: "a text"
            case .array: "a list"
            case .object: "an object"
            }
        }
    }

    package let place: TextPlace
    package let value: Value

    /// Reads a whole text (RFC 8259) that people wrote: `//` begins a comment, which ends with its line.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - allowsRepeatedNames: Whether members of an object may have the same name, as JSON allows; no option of a
    ///     configuration is meant to have two values.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the first flaw.
    package static func read(_ bytes: [UInt8], allowsRepeatedNames: Bool = false) throws(JSONError) -> JSONNode {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            guard let base = bytes.baseAddress else {
                throw JSONError(place: TextPlace(), reason: "a value is missing at the end of the file")
            }
            var reader = unsafe JSONTreeReader(base, count: bytes.count, allowsRepeatedNames: allowsRepeatedNames)
            return unsafe try reader.readText()
        }
    }
}

extension JSONNode {
    /// Writes the value on one line, without spaces.
    package func write(to json: inout JSONWriter) {
        switch value {
        case .null: json.value(json: "null".utf8)
        case .boolean(let flag): json.value(flag)
        case .number(let text): json.value(json: text.utf8)
        case .text(let text): json.value(text)
        case .array(let elements): json.array(elements) { json, element in element.write(to: &json) }
        case .object(let members):
            json.object { json in
                for member in members {
                    json.name(member.name)
                    member.value.write(to: &json)
                }
            }
        }
    }
}
