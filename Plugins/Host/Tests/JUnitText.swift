internal import WeirCore
internal import WeirRecords

/// The outcome of tests as XML, in the form of JUnit, which programs that build software read.
enum JUnitText {
    /// The text.
    ///
    /// - Parameter results: The tests, in their order.
    /// - Returns: A whole document.
    static func text(_ results: [(test: QueryTest, outcome: QueryTest.Outcome)]) -> String {
        var files: [String] = []
        for (test, _) in results where !files.contains(test.file) { files.append(test.file) }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites\(counts(of: results))>\n"
        for file in files {
            let ofFile = results.filter { $0.test.file == file }
            text += "  <testsuite name=\"\(escaped(file))\"\(counts(of: ofFile))>\n"
            for (test, outcome) in ofFile {
                text += "    <testcase name=\"\(escaped(test.name))\" classname=\"\(escaped(file))\" "
                text +=
                    "file=\"\(escaped(file))\" line=\"\(test.line)\" time=\"\(Quantity.seconds(outcome.nanoseconds))\""
                if let error = outcome.error {
                    text += ">\n      <error message=\"\(escaped(firstLine(of: error)))\">\(escaped(error))</error>\n"
                } else if !outcome.hasPassed {
                    let lines = outcome.differences.joined(separator: "\n")
                    text +=
                        ">\n      <failure message=\"\(escaped(firstLine(of: lines)))\">\(escaped(lines))</failure>\n"
                } else {
                    text += "/>\n"
                    continue
                }
                text += "    </testcase>\n"
            }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func counts(of results: [(test: QueryTest, outcome: QueryTest.Outcome)]) -> String {
        let errors = results.count { $0.outcome.error != nil }
        let failures = results.count { !$0.outcome.hasPassed } - errors
        let time = results.reduce(0) { $0 + $1.outcome.nanoseconds }
        return
            " tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"\(Quantity.seconds(time))\""
    }

    private static func firstLine(of text: String) -> String {
        text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    }

    /// A text within quotes or an element; XML 1.0 forbids most control characters, also as references.
    private static func escaped(_ text: String) -> String {
        let references: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"]
        return Excerpt.escaped(text) { $0 == "\n" }.unicodeScalars.map { references[$0] ?? String($0) }.joined()
    }
}
