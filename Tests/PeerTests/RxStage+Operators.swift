import WeirCore

/// What cases ask for that no operator of Weir does.
enum RxLack {
    static let throwingClosure = "a function that throws"
    static let dropUntil = "dropping until another stream has an element"
    static let lastElements = "the last elements, more than one"
    static let fullBuffer = "a buffer by time that ends when it is full"
    static let untilTime = "a delay until a point in time"
    static let delayedEnd = "a delay of the end"
    static let firstTimeout = "a timeout for the first element alone"
    static let inclusiveEnd = "ending with the element that fails the condition"
    static let identity = "distinct instances"

    /// How many cases of which operator ask for what.
    static let counts = [
        "buffer-time: \(fullBuffer)": 1,
        "catch-error: \(throwingClosure)": 3,
        "combine-latest-with: \(identity)": 1,
        "delay: \(delayedEnd)": 1,
        "delay: \(untilTime)": 5,
        "distinct-until-changed: \(throwingClosure)": 2,
        "first: \(throwingClosure)": 1,
        "last: \(throwingClosure)": 1,
        "skip-until: \(dropUntil)": 15,
        "skip-while: \(throwingClosure)": 1,
        "take-last: \(lastElements)": 13,
        "take-while: \(inclusiveEnd)": 1,
        "take-while: \(throwingClosure)": 1,
        "timeout: \(firstTimeout)": 11,
        "zip: \(throwingClosure)": 1,
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
