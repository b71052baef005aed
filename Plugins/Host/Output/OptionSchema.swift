internal import WeirCore
internal import WeirRecords

/// Declared options as JSON Schema (draft 2020-12): an object with a property for each.
enum OptionSchema {
    /// Writes the schema.
    static func write(_ options: [OptionDeclaration], to json: inout JSONWriter) {
        json.object { json in
            json.member("type", "object")
            json.member("additionalProperties", false)
            json.name("properties")
            json.object { json in
                for option in options {
                    json.name(option.name)
                    json.object { json in write(option, to: &json) }
                }
            }
        }
    }

    private static func write(_ option: OptionDeclaration, to json: inout JSONWriter) {
        json.member("description", option.help)
        switch option.kind {
        case .number(let unit, let minimum):
            json.member("type", "number")
            if let minimum { json.member("minimum", json: "\(minimum)".utf8) }
            if !unit.isEmpty { json.member("x-unit", unit) }
        case .integer(let range):
            json.member("type", "integer")
            json.member("minimum", range.lowerBound)
            json.member("maximum", range.upperBound)
        case .duration:
            json.member("type", "string")
            json.member("pattern", "^(0|([0-9.]+(d|h|ms|us|ns|m|s))+)$")
        case .byteCount:
            json.member("type", "string")
            json.member("pattern", "^[0-9]+([KMGkmg]i?[Bb]|[Bb])?$")
        case .flag: json.member("type", "boolean")
        case .choice(let words): json.member("enum", words) { json, word in json.value(word) }
        case .text: json.member("type", "string")
        case .list:
            json.member("type", "array")
            json.name("items")
            json.object { json in json.member("type", "string") }
        case .mapping(let keys):
            json.member("type", "object")
            json.member("additionalProperties", false)
            json.name("properties")
            json.object { json in
                for key in keys {
                    json.name(key)
                    json.object { json in json.member("type", "string") }
                }
            }
        }
        guard let text = option.defaultText else { return }
        json.name("default")
        writeDefault(text, option.kind, to: &json)
    }

    private static func writeDefault(_ text: String, _ kind: OptionDeclaration.Kind, to json: inout JSONWriter) {
        switch kind {
        case .number, .integer, .flag: json.value(json: text.utf8)
        case .list: json.array(text.split(separator: "\n")) { json, line in json.value(String(line)) }
        case .mapping:
            json.object { json in
                for pair in text.split(separator: ",") {
                    let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
                    json.member(sides[0], sides.last ?? "")
                }
            }
        default: json.value(text)
        }
    }
}
