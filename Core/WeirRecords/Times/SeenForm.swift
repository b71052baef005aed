internal import WeirCore

/// The form of a time, in a number that is not zero.
struct SeenForm: RawRepresentable {
    let rawValue: UInt64

    private static let numberBit: UInt64 = 1 << 63

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(_ form: CalendarForm) {
        rawValue = form.rawValue
    }

    init(_ unit: TimeUnit) {
        rawValue = Self.numberBit | UInt64(bitPattern: unit.nanoseconds)
    }

    /// RFC 3339 in UTC, as which a time that is no text reads.
    static let binaryTime: SeenForm = {
        var form = CalendarForm(rawValue: 0)
        _ = unsafe Array("1970-01-01T00:00:00Z".utf8)
            .withUnsafeBufferPointer { unsafe CalendarText.reading($0, &form) }
        return SeenForm(form)
    }()

    /// What the number counts; `nil` where it is none.
    var unit: TimeUnit? {
        guard rawValue & Self.numberBit != 0 else { return nil }
        let nanoseconds = Int64(rawValue & ~Self.numberBit)
        return TimeUnit.allCases.first { $0.nanoseconds == nanoseconds }
    }

    /// How the text is written; `nil` where it is none.
    var calendar: CalendarForm? {
        rawValue == 0 || rawValue & Self.numberBit != 0 ? nil : CalendarForm(rawValue: rawValue)
    }
}

extension TimeUnit {
    /// The unit in which a number of whole units since the epoch is a time from 1973-03-03 to 5138-11-16; `nil` below.
    init?(ofEpochCount count: Int64) {
        switch count.magnitude {
        case ..<100_000_000: return nil
        case ..<100_000_000_000: self = .seconds
        case ..<100_000_000_000_000: self = .milliseconds
        case ..<100_000_000_000_000_000: self = .microseconds
        default: self = .nanoseconds
        }
    }

    /// What the unit is called.
    var plural: String {
        switch self {
        case .seconds: "seconds"
        case .milliseconds: "milliseconds"
        case .microseconds: "microseconds"
        case .nanoseconds: "nanoseconds"
        }
    }
}
