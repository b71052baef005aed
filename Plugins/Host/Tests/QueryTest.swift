internal import WeirCore
internal import WeirRecords

/// Rules, events, and the matches that the rules are to find in them.
struct QueryTest: Sendable {
    /// An event, as a line of JSON and as it was written.
    struct Event: Sendable {
        let time: Timestamp

        /// Its fields but the time: a name and JSON each.
        let fields: [(name: String, json: [UInt8])]

        /// What people see of it.
        let text: String
    }

    /// A match: its rule, and the numbers of its events from 1 on, with `nil` for one that has to be missing.
    struct Match: Sendable, Hashable, CustomStringConvertible {
        let rule: String
        let events: [Int?]

        var description: String {
            "\(rule): [" + events.map { $0.map(String.init) ?? "-" }.joined(separator: " ") + "]"
        }
    }

    var name: String
    let file: String
    let line: Int
    var rules: [RuleText] = []
    /// The options that say how records are read: `language`, `time`, `category` and `types`.
    var options: [String: String] = [:]
    var events: [Event] = []
    var expected: [Match] = []

    /// Where it is, for messages.
    var place: String { "\(file):\(line)" }

    /// When the event of the time `0s` is.
    static let start = Timestamp("2026-01-01T00:00:00Z") ?? Timestamp(nanosecondsSinceEpoch: 0)

    /// The time of an event: how long after the first one, such as `1m30s`, or a date.
    static func time(_ text: String) -> Timestamp? { Duration(text: text).map { start + $0 } ?? Timestamp(text) }

    /// The field with the time of an event.
    var timeField: String { options[.time] ?? QuerySchema().timeField }

    /// The field with what stands behind the time of an event.
    var categoryField: String { options.values(.category).first ?? QuerySchema().categoryFields[0] }

    /// The member of an event that is its number, by which it is known again in a match.
    static let numberField = "#"

    /// The events as lines of JSON.
    var lines: [UInt8] {
        var lines: [UInt8] = []
        for (index, event) in events.enumerated() {
            var json = JSONWriter()
            json.object { json in
                json.member(Self.numberField, index + 1)
                json.member(timeField, "\(event.time)")
                for field in event.fields { json.member(field.name, json: field.json) }
            }
            lines += json.bytes + [UInt8(ascii: "\n")]
        }
        return lines
    }
}

/// Why a file of tests cannot be read.
struct QueryTestError: Error {
    let line: Int
    let message: String
}
