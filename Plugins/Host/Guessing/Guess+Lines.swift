internal import WeirFormats
internal import WeirRecords

// Logs whose lines have a form of their own.
extension Guess {
    /// The form of lines that begin with a time, as programs write them to their logs.
    ///
    /// - Parameters:
    ///   - bytes: The start of an input.
    ///   - hasLevel: Whether a word such as `INFO` stands behind the time.
    /// - Returns: How to read them; `nil` where most lines have none of these forms.
    static func lines(_ bytes: [UInt8], hasLevel: Bool) -> (Reading, GuessSample)? {
        for text in hasLevel ? patternsWithLevel : patterns {
            let found = padded(text).compactMap { text in sample(bytes, text, hasLevel: hasLevel).map { (text, $0) } }
            guard let (text, sample) = found.first(where: { !isPadded($0.1) }) ?? found.first else { continue }
            let words = "a log, with lines such as '\(text)'"
            return (Reading(format: sample.format, words: words, pattern: text), sample.sample)
        }
        return nil
    }

    /// Reads lines of a form.
    ///
    /// - Returns: `nil` where they have another one.
    private static func sample(
        _ bytes: [UInt8],
        _ text: String,
        hasLevel: Bool
    ) -> (format: LinePatternFormat, sample: GuessSample)? {
        guard let format = try? LinePatternFormat(text), let sample = GuessSample(bytes, format, limits),
            // Behind a line with a level others may follow that go on with it, such as those of a stack.
            isReadable(sample) || hasLevel && sample.share >= leastShareWithLevels,
            let field = sample.names.firstIndex(of: "time"),
            GuessedField("time", sample.values(of: field), isNested: false).type == .time
        else { return nil }
        if hasLevel {
            guard let field = sample.names.firstIndex(of: "level") else { return nil }
            let values = sample.values(of: field)
            // Programs have levels of their own.
            let known = values.count { levels.contains($0.lowercased()) }
            guard values.count == sample.rows.count, Double(known) >= leastShareOfLevels * Double(values.count),
                values.allSatisfy({ $0.allSatisfy(\.isLetter) })
            else { return nil }
        }
        return (format, sample)
    }

    private static let leastShareWithLevels = 0.2
    private static let leastShareOfLevels = 0.75

    /// A form, and the same with blanks behind its values.
    private static func padded(_ text: String) -> [String] {
        let all = text.replacing("} ", with: "->} ").replacing("}]", with: "->}]")
        return [text, text.replacing("{level}", with: "{level->}"), all]
    }

    /// Whether blanks stand where values begin or end.
    private static func isPadded(_ found: (format: LinePatternFormat, sample: GuessSample)) -> Bool {
        let sample = found.sample
        return sample.names.indices.contains { field in
            let isRest = sample.names[field] == "rest"
            return sample.values(of: field).contains { $0.hasPrefix(" ") || !isRest && $0.hasSuffix(" ") }
        }
    }

    private static let patternsWithLevel: [String] = {
        let times = ["{time} {+time}", "{time} {+time} {+time}", "[{time}]", "{time}"]
        let behind = times.flatMap { time in
            [
                "\(time) [{level}] {rest}", "\(time) {level}: {rest}", "\(time) | {level} | {rest}",
                "\(time) - {logger} - {level} - {rest}", "\(time) {level} {rest}", "\(time) [{thread}] {level} {rest}",
            ]
        }
        return behind + ["{level} {time} {+time} {rest}", "{level} [{time}] {rest}", "{level} {time} {rest}"]
    }()

    private static let patterns = ["{time} {+time} {rest}", "[{time}] {rest}", "{time}: {rest}", "{time} {rest}"]

    private static let levels: Set = [
        "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "severe", "fatal", "crit", "critical",
        "alert", "emerg", "panic", "verbose", "information", "vrb", "dbg", "inf", "wrn", "ftl", "success", "dpanic",
        "config", "fine", "finer", "finest", "log", "note", "system",
    ]
}
