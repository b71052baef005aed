/// A truth of three values.
enum Truth: UInt8, Sendable {
    case no, yes, unknown

    init(_ value: Bool?) {
        self = value.map { $0 ? .yes : .no } ?? .unknown
    }

    /// What a value says as a condition: of several, whether one is true.
    init(_ value: QueryValue) {
        switch value {
        case .boolean(let flag): self = flag ? .yes : .no
        case .list(let values):
            self = .unknown
            for case .boolean(let flag) in values {
                self = flag ? .yes : self == .yes ? .yes : .no
            }
        default: self = .unknown
        }
    }

    var value: QueryValue {
        switch self {
        case .yes: .boolean(true)
        case .no: .boolean(false)
        case .unknown: .missing
        }
    }

    static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }
}

extension QueryValue {
    /// Whether there is nothing: no value, or a list without any.
    var isMissing: Bool {
        switch self {
        case .missing: true
        case .list(let values): values.allSatisfy(\.isMissing)
        default: false
        }
    }

    /// The values one by one: those of a list, otherwise the value itself; none where it is missing.
    var elements: [QueryValue] {
        switch self {
        case .missing: []
        case .list(let values): values.filter { !$0.isMissing }
        default: [self]
        }
    }

    /// What a function makes of each value.
    ///
    /// - Returns: A value for one, a list for several; missing where there is none.
    func mapped(_ transform: (QueryValue) -> QueryValue) -> QueryValue {
        guard case .list = self else { return isMissing ? .missing : transform(self) }
        let values = elements
        return values.isEmpty ? .missing : .list(values.map(transform))
    }

    /// The text as people write it; `nil` where there is no value or several.
    var written: String? {
        switch self {
        case .missing, .list: nil
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// Whether two single values are the same.
    ///
    /// - Returns: `nil` where one is missing; values of different kinds are not the same.
    func equals(_ other: QueryValue) -> Bool? {
        switch (self, other) {
        case (.missing, _), (_, .missing), (.list, _), (_, .list): nil
        case (.boolean(let left), .boolean(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        default: order(to: other) == .some(.same)
        }
    }

    /// The order of two values.
    enum Order {
        case before, same, after
    }

    /// How two single values are ordered; `nil` where they are not: one is missing, or they are of different kinds.
    func order(to other: QueryValue) -> Order? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.real(let left), .real(let right)): left.isNaN || right.isNaN ? nil : Self.order(left, right)
        case (.integer(let left), .real(let right)): Self.order(left, right)
        case (.real(let left), .integer(let right)): Self.order(right, left).map(\.reversed)
        case (.text(let left), .text(let right)):
            left.utf8.elementsEqual(right.utf8)
                ? .same : left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
        default: nil
        }
    }

    private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Order {
        left < right ? .before : left == right ? .same : .after
    }

    /// Exact, also where a double has not as many digits as the integer.
    private static func order(_ left: Int64, _ right: Double) -> Order? {
        guard !right.isNaN else { return nil }
        guard right < 0x1p63 else { return .before }
        guard right >= -0x1p63 else { return .after }
        let whole = Int64(right.rounded(.down))
        let order = order(left, whole)
        return order == .same && right > Double(whole) ? .before : order
    }
}

extension QueryValue.Order {
    var reversed: Self {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}
