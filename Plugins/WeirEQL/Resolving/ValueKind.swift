import WeirQueries
import WeirRecords

/// What a part of a condition is, as far as it is known before there are records.
enum ValueKind: CustomStringConvertible {
    /// True or false.
    case condition
    /// A whole number or not.
    case number
    case text
    /// `null`
    case missing
    /// What each record shows.
    case unknown

    init(_ type: QueryType) {
        switch type {
        case .boolean: self = .condition
        case .integer, .real: self = .number
        case .text, .version: self = .text
        }
    }

    init(_ value: QueryValue) {
        switch value {
        case .missing: self = .missing
        case .boolean: self = .condition
        case .integer, .real: self = .number
        case .text: self = .text
        case .list: self = .unknown
        }
    }

    var description: String {
        switch self {
        case .condition: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .missing: "null"
        case .unknown: "a value"
        }
    }
}
