import WeirCore

/// Why no operator of Weir does what a case asks for.
enum RxLack {
    static let identity =
        "A pair is a value: two that are equal cannot be told apart, so nothing can be said of their instances."
    static let fullBuffer =
        "Windows that overlap have one limit for all they remember; none of them ends before its time because it is full."

    /// How many cases of which operator, for which reason.
    static let counts = [
        "buffer-time: \(fullBuffer)": 1,
        "combine-latest-with: \(identity)": 1,
    ]
}

extension RxStage {
    /// Puts the operator of the case on its inputs.
    func build() throws {
        switch test.op {
        case "audit-time", "buffer-count", "buffer-time", "debounce-time", "delay", "sample-time", "throttle-time",
            "timeout", "to-array":
            try buildByTime()
        case "catch-error", "combine-latest", "combine-latest-with", "concat-with", "merge-with", "take-until",
            "with-latest-from", "zip", "zip-with":
            try buildOfMany()
        default: try buildSelection()
        }
    }

    /// Whether the call of the case contains a text.
    func calls(_ text: String) -> Bool { test.call.contains(text) }

    /// Whether the name of the case contains a text.
    func isNamed(_ text: String) -> Bool { test.name.contains(text) }

    /// The first number between the parentheses of the call.
    var number: Int {
        let arguments = test.call.drop { $0 != "(" }.dropFirst()
        guard let number = Int(arguments.drop { $0 == "'" }.prefix { $0 == "-" || $0.isNumber }) else {
            preconditionFailure("there is no number in \(test.call)")
        }
        return number
    }

    /// The number that follows a text in the call.
    func number(after text: String) -> Int? {
        guard let range = test.call.firstRange(of: text) else { return nil }
        return Int(test.call[range.upperBound...].prefix { $0.isNumber })
    }
}
