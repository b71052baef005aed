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
            guard let format = try? LinePatternFormat(text), let sample = GuessSample(bytes, format, limits),
                isReadable(sample), let field = sample.names.firstIndex(of: "time"),
                GuessedField("time", sample.values(of: field), isNested: false).type == .time
            else { continue }
            if hasLevel, let field = sample.names.firstIndex(of: "level"),
                !sample.values(of: field).allSatisfy({ levels.contains($0.lowercased()) })
            {
                continue
            }
            return (Reading(format: format, words: "a log, with lines such as '\(text)'", pattern: text), sample)
        }
        return nil
    }

    private static let patternsWithLevel: [String] = {
        let times = ["{time} {+time}", "{time} {+time} {+time}", "[{time}]", "{time}"]
        let behind = times.flatMap { time in
            ["\(time) [{level}] {rest}", "\(time) {level}: {rest}", "\(time) {level} {rest}"]
        }
        return behind + ["{level} {time} {+time} {rest}", "{level} [{time}] {rest}", "{level} {time} {rest}"]
    }()

    private static let patterns = ["{time} {+time} {rest}", "[{time}] {rest}", "{time}: {rest}", "{time} {rest}"]

    private static let levels: Set = [
        "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "severe", "fatal", "crit", "critical",
        "alert", "emerg", "panic",
    ]
}
