internal import WeirCore

/// The values of a plugin's options: what was given, or the defaults.
///
/// Asking for an option that was not declared, or as another kind than it was declared, is a programmer's mistake and
/// traps.
public struct OptionValues: Sendable {
    private enum Value: Sendable {
        case number(Double)
        case duration(Duration)
        case integer(Int)
        case flag(Bool)
        case text(String)
        case list([String])
        case mapping([String: String])
    }

    private var values: [String: Value] = [:]
    let declared: Set<String>

    /// What is known of the times of the input that these options are about.
    let seenTimes = InputTimes.Seen()

    /// What was given, by name without the dashes.
    public let given: [String: String]

    /// Reads the values of the declared options.
    ///
    /// - Parameters:
    ///   - declarations: The options that there are; a default that cannot be read is a programmer's mistake and traps.
    ///   - given: What was given, by name without the dashes; names that are not declared are refused. The texts of a
    ///     `.list` option stand a line each.
    /// - Throws: ``PluginError/invalidOption(name:reason:)`` for the first value that cannot be read.
    public init(_ declarations: [OptionDeclaration], given: [String: String] = [:]) throws(PluginError) {
        declared = Set(declarations.map(\.name))
        self.given = given
        if let unknown = given.keys.filter({ !declared.contains($0) }).min() {
            throw .invalidOption(name: unknown, reason: "there is no such option")
        }
        for declaration in declarations {
            if let text = declaration.defaultText {
                do {
                    values[declaration.name] = try Self.read(text, declaration, over: nil)
                } catch {
                    preconditionFailure("the default of --\(declaration.name) cannot be read: \(error)")
                }
            }
            if let text = given[declaration.name] {
                values[declaration.name] = try Self.read(text, declaration, over: values[declaration.name])
            }
        }
    }

    /// Finds a mistake in declarations that come from outside: a name twice, or a default that cannot be read.
    ///
    /// - Parameter declarations: The options that there are.
    /// - Returns: The mistake in words, or `nil` where there is none.
    public static func flaw(in declarations: [OptionDeclaration]) -> String? {
        var names: Set<String> = []
        for declaration in declarations {
            guard names.insert(declaration.name).inserted else { return "it declares --\(declaration.name) twice" }
            guard let text = declaration.defaultText else { continue }
            do {
                _ = try read(text, declaration, over: nil)
            } catch {
                return "the default of its option cannot be read: \(error)"
            }
        }
        return nil
    }

    /// The value of a `.number` option that has a default.
    public func number(_ name: String) -> Double {
        guard case .number(let value) = value(name) else { wrongKind(name, "number") }
        return value
    }

    /// The value of a `.duration` option that has a default.
    public func duration(_ name: String) -> Duration {
        guard case .duration(let value) = value(name) else { wrongKind(name, "duration") }
        return value
    }

    /// The value of an `.integer` or `.byteCount` option that has a default.
    public func integer(_ name: String) -> Int {
        guard case .integer(let value) = value(name) else { wrongKind(name, "integer") }
        return value
    }

    /// The value of an `.integer` or `.byteCount` option, or `nil` where it has no default and was not given.
    public func integerIfGiven(_ name: String) -> Int? {
        isGiven(name) ? integer(name) : nil
    }

    /// The value of a `.duration` option, or `nil` where it has no default and was not given.
    public func durationIfGiven(_ name: String) -> Duration? {
        isGiven(name) ? duration(name) : nil
    }

    /// The value of a `.flag` option that has a default.
    public func flag(_ name: String) -> Bool {
        guard case .flag(let value) = value(name) else { wrongKind(name, "flag") }
        return value
    }

    /// The value of a `.choice` or `.text` option that has a default.
    public func text(_ name: String) -> String {
        guard case .text(let value) = value(name) else { wrongKind(name, "text") }
        return value
    }

    /// The value of a `.choice` or `.text` option, or `nil` where it has no default and was not given.
    public func textIfGiven(_ name: String) -> String? {
        isGiven(name) ? text(name) : nil
    }

    /// The values of a `.list` option, in the order in which they were given; empty where there are none.
    public func list(_ name: String) -> [String] {
        precondition(declared.contains(name), "the option --\(name) was not declared")
        switch values[name] {
        case nil: return []
        case .list(let texts)?: return texts
        default: wrongKind(name, "list")
        }
    }

    /// The value of a `.mapping` option: a name for each of its keys that has a default or was given.
    public func mapping(_ name: String) -> [String: String] {
        guard case .mapping(let value) = value(name) else { wrongKind(name, "mapping") }
        return value
    }

    private func isGiven(_ name: String) -> Bool {
        precondition(declared.contains(name), "the option --\(name) was not declared")
        return values[name] != nil
    }

    private func value(_ name: String) -> Value {
        precondition(declared.contains(name), "the option --\(name) was not declared")
        guard let value = values[name] else {
            preconditionFailure("the option --\(name) has no default and was not given")
        }
        return value
    }

    private func wrongKind(_ name: String, _ kind: String) -> Never {
        preconditionFailure("the option --\(name) was not declared as a \(kind)")
    }

    private static func read(
        _ text: String,
        _ declaration: OptionDeclaration,
        over defaults: Value?
    ) throws(PluginError) -> Value {
        func refuse(_ reason: String) -> PluginError { .invalidOption(name: declaration.name, reason: reason) }
        switch declaration.kind {
        case .number(let unit, let minimum):
            guard let number = Double(text), number.isFinite else {
                throw refuse("'\(text)' is not a number\(unit.isEmpty ? "" : " (in \(unit), such as 1.5)")")
            }
            if let minimum, number < minimum { throw refuse("\(text) is below the least value, \(minimum)") }
            return .number(number)
        case .duration:
            guard let duration = Duration(text: text) else {
                throw refuse("'\(text)' is not a duration; write 250ms, 5m or 1h30m")
            }
            return .duration(duration)
        case .integer(let range):
            guard let number = Int(text), range.contains(number) else {
                throw refuse("'\(text)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .integer(number)
        case .byteCount(let range):
            guard let count = ByteSize.parse(text) else {
                throw refuse("'\(text)' is not a size; write 4096, 64KiB or 1MiB")
            }
            guard range.contains(count) else {
                throw refuse(
                    "\(text) is not between \(ByteSize.text(range.lowerBound)) and \(ByteSize.text(range.upperBound))"
                )
            }
            return .integer(count)
        case .flag:
            guard text == "true" || text == "false" else { throw refuse("'\(text)' is not true or false") }
            return .flag(text == "true")
        case .choice(let words):
            guard words.contains(text) else {
                throw refuse(
                    "'\(text)' is not one of \(words.joined(separator: ", "))"
                        // To a word of two letters any other is near.
                        + (text.count < 3 ? "" : Suggestion.text(for: text, among: words))
                )
            }
            return .text(text)
        case .text:
            guard !text.isEmpty else { throw refuse("needs a value") }
            return .text(text)
        case .list:
            let texts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard !texts.contains("") else { throw refuse("needs a value") }
            return .list(texts)
        case .mapping(let keys):
            var names: [String: String] = [:]
            if case .mapping(let before)? = defaults { names = before }
            var seen: Set<String> = []
            for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, !sides[1].isEmpty else {
                    throw refuse("'\(pair)' is not of the form KEY=NAME")
                }
                let key = String(sides[0])
                guard keys.contains(key) else {
                    throw refuse("there is no '\(key)'; the keys are \(keys.joined(separator: ", "))")
                }
                guard seen.insert(key).inserted else { throw refuse("'\(key)' is named twice") }
                names[key] = String(sides[1])
            }
            return .mapping(names)
        }
    }
}
