internal import WeirCore

/// Declared options as JSON Schema (draft 2020-12): an object with a property for each.
enum OptionSchema {
    /// The schema.
    static func text(_ options: [OptionDeclaration]) -> String {
        let properties = options.map { "\(JSONQuote.text($0.name)):\(schema(of: $0))" }
        return
            "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\(properties.joined(separator: ","))}}"
    }

    private static func schema(of option: OptionDeclaration) -> String {
        var members = [("description", JSONQuote.text(option.help))]
        switch option.kind {
        case .number(let unit, let minimum):
            members.append(("type", "\"number\""))
            if let minimum { members.append(("minimum", "\(minimum)")) }
            if !unit.isEmpty { members.append(("x-unit", JSONQuote.text(unit))) }
        case .integer(let range):
            members += [
                ("type", "\"integer\""), ("minimum", "\(range.lowerBound)"), ("maximum", "\(range.upperBound)"),
            ]
        case .duration:
            members += [
                ("type", "\"string\""),
                ("pattern", JSONQuote.text("^(0|([0-9.]+(d|h|ms|us|ns|m|s))+)$")),
            ]
        case .byteCount:
            members += [("type", "\"string\""), ("pattern", JSONQuote.text("^[0-9]+([KMGkmg]i?[Bb]|[Bb])?$"))]
        case .flag: members.append(("type", "\"boolean\""))
        case .choice(let words):
            members.append(("enum", "[" + words.map(JSONQuote.text).joined(separator: ",") + "]"))
        case .text: members.append(("type", "\"string\""))
        case .list: members += [("type", "\"array\""), ("items", "{\"type\":\"string\"}")]
        case .mapping(let keys):
            let properties = keys.map { "\(JSONQuote.text($0)):{\"type\":\"string\"}" }
            members += [
                ("type", "\"object\""), ("additionalProperties", "false"),
                ("properties", "{" + properties.joined(separator: ",") + "}"),
            ]
        }
        if let text = option.defaultText { members.append(("default", defaultValue(text, option.kind))) }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func defaultValue(_ text: String, _ kind: OptionDeclaration.Kind) -> String {
        switch kind {
        case .number, .integer, .flag: text
        case .list: "[" + text.split(separator: "\n").map { JSONQuote.text(String($0)) }.joined(separator: ",") + "]"
        case .mapping:
            "{"
                + text.split(separator: ",").map { pair in
                    let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
                    return "\(JSONQuote.text(sides[0])):\(JSONQuote.text(sides.last ?? ""))"
                }
                .joined(separator: ",") + "}"
        default: JSONQuote.text(text)
        }
    }
}
