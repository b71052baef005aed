internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Reads tests in the form that people write by hand.
///
/// ```text
/// name: five failures, then a success
/// rule:
///   sequence by user with maxspan=1m
///     [login where outcome == "failure"] with runs=5
///     [login where outcome == "success"]
/// events:
///   0s   login  user=ann outcome=failure
///   10s  login  user=ann outcome=failure
/// expect: none
/// ```
///
/// A member begins a line, and what belongs to it may go on in lines with blanks at their start. `//` begins a comment
/// where an event or a member could begin. Each `name` begins a test; what is before the first is of all tests.
struct QueryTestText {
    /// A member of a test.
    private struct Member {
        let name: String

        /// What stands behind the name: of a rule its own name.
        let argument: String
        let line: Int

        /// The rest of its first line, behind as many blanks as there are bytes before it, and the lines that follow.
        var lines: [String]

        var text: String { lines.map(\.withoutOuterBlanks).filter { !$0.isEmpty }.joined(separator: " ") }
    }

    private static let names = ["name", "rule", "rules", "language", "category", "time", "types", "events", "expect"]

    let path: String

    /// The tests of a text.
    ///
    /// - Throws: ``QueryTestError`` with the first line that cannot be understood.
    func tests(in text: String) throws(QueryTestError) -> [QueryTest] {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        var shared: [Member] = []
        var tests: [(name: String, line: Int, members: [Member])] = []
        for member in try members(of: text) {
            if member.name == "name" {
                tests.append((member.text, member.line, shared))
            } else if tests.isEmpty {
                shared.append(member)
            } else {
                tests[tests.count - 1].members.append(member)
            }
        }
        if tests.isEmpty { tests = [(file, 1, shared)] }
        var all: [QueryTest] = []
        for test in tests { all.append(try self.test(test.name, test.line, test.members)) }
        return all
    }

    private func members(of text: String) throws(QueryTestError) -> [Member] {
        var members: [Member] = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let line = String(Substring(bytes))
            let isIndented = line.hasPrefix(" ") || line.hasPrefix("\t")
            guard !isIndented, !line.withoutOuterBlanks.isEmpty, !line.hasPrefix("//") else {
                if !members.isEmpty { members[members.count - 1].lines.append(isIndented ? line : "") }
                continue
            }
            let head = line.prefix { $0 != ":" }
            let words = head.split(separator: " ", maxSplits: 1).map(String.init)
            guard head.endIndex < line.endIndex, let name = words.first, Self.names.contains(name) else {
                throw QueryTestError(
                    line: index + 1,
                    message: "there is no '\(words.first ?? "")'"
                        + Suggestion.text(
                            for: words.first ?? "",
                            among: Self.names,
                            otherwise:
                                "a line without blanks at its start begins one of \(Self.names.joined(separator: ", "))"
                        )
                )
            }
            guard words.count == 1 || name == "rule" else {
                throw QueryTestError(line: index + 1, message: "a ':' is missing behind '\(name)'")
            }
            let rest = line[line.index(after: head.endIndex)...]
            let blanks = String(repeating: " ", count: line.utf8.count - rest.utf8.count)
            members.append(
                Member(
                    name: name,
                    argument: words.count > 1 ? words[1].withoutOuterBlanks : "",
                    line: index + 1,
                    lines: [blanks + rest]
                )
            )
        }
        return members
    }

    private func test(_ name: String, _ line: Int, _ members: [Member]) throws(QueryTestError) -> QueryTest {
        var test = QueryTest(name: name.isEmpty ? "\(path):\(line)" : name, file: path, line: line)
        func once(_ name: String) throws(QueryTestError) -> Member? {
            let found = members.filter { $0.name == name }
            guard found.count < 2 else {
                throw QueryTestError(line: found[1].line, message: "'\(name)' is given twice for one test")
            }
            return found.first
        }
        for option in [OptionDeclaration.language, .category, .time, .types] {
            guard let member = try once(option.name) else { continue }
            guard !member.text.isEmpty else {
                throw QueryTestError(line: member.line, message: "'\(option.name)' lacks its value")
            }
            test.options[option.name] = member.text
        }
        for member in members where member.name == "rule" {
            test.rules.append(
                RuleText(
                    name: member.argument.isEmpty ? RuleText.nameOfQuery : member.argument,
                    text: member.lines.joined(separator: "\n"),
                    linesBefore: member.line - 1,
                    file: path
                )
            )
        }
        if let member = try once("rules") {
            test.rules += try QueryTestFile.rules(member.text, beside: path, member.line)
        }
        guard !test.rules.isEmpty else { throw QueryTestError(line: line, message: "the test has no 'rule'") }
        if let member = try once("events") {
            for (index, line) in member.lines.enumerated() {
                let text = line.withoutOuterBlanks
                guard !text.isEmpty, !text.hasPrefix("//") else { continue }
                test.events.append(try event(text, of: test, member.line + index))
            }
        }
        guard let expectation = try once("expect") else {
            throw QueryTestError(line: line, message: "the test lacks 'expect'; write 'expect: none' for no match")
        }
        for (index, line) in expectation.lines.enumerated() {
            let text = line.withoutOuterBlanks
            guard !text.isEmpty, !text.hasPrefix("//") else { continue }
            test.expected += try matches(text, of: test, expectation.line + index)
        }
        return test
    }

    /// Reads the line of an event: its time, its category, and fields with their values.
    private func event(_ text: String, of test: QueryTest, _ line: Int) throws(QueryTestError) -> QueryTest.Event {
        var words = Self.words(text)[...]
        guard let word = words.popFirst(), let time = QueryTest.time(word) else {
            throw QueryTestError(
                line: line,
                message: "'\(Self.words(text).first ?? "")' is no time; an event begins with one, such as 0s, 1m30s or "
                    + "2026-02-01T13:00:00Z"
            )
        }
        var fields: [(String, [UInt8])] = []
        if let word = words.first, word.hasPrefix("{") {
            guard words.count == 1, let node = try? JSONNode.read(Array(word.utf8)),
                case .object(let members) = node.value
            else { throw QueryTestError(line: line, message: "what follows the time is no object of JSON") }
            for member in members { fields.append((member.name, member.value.json)) }
            return QueryTest.Event(time: time, fields: fields, text: text)
        }
        if let word = words.first, !word.contains("=") {
            fields.append((test.categoryField, Array(JSONWriter.quoted(word).utf8)))
            words.removeFirst()
        }
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw QueryTestError(line: line, message: "'\(word)' is not of the form FIELD=VALUE")
            }
            let value = String(word[word.index(after: equals)...])
            let isJSON = (try? JSONNode.read(Array(value.utf8))) != nil
            fields.append((String(word[..<equals]), Array((isJSON ? value : JSONWriter.quoted(value)).utf8)))
        }
        return QueryTest.Event(time: time, fields: fields, text: text)
    }

    /// Reads matches: the numbers of events on a line, or in brackets, with the name of the rule before them.
    private func matches(_ text: String, of test: QueryTest, _ line: Int) throws(QueryTestError) -> [QueryTest.Match] {
        guard text != "none" else { return [] }
        var rest = text[...]
        var rule = test.rules[0].name
        if let colon = rest.lastIndex(of: ":") {
            rule = rest[..<colon].withoutOuterBlanks
            rest = rest[rest.index(after: colon)...]
            guard test.rules.contains(where: { $0.name == rule }) else {
                throw QueryTestError(
                    line: line,
                    message: "there is no rule '\(rule)'" + Suggestion.text(for: rule, among: test.rules.map(\.name))
                )
            }
        } else if test.rules.count > 1 {
            throw QueryTestError(line: line, message: "say of which rule the match is, as in '\(rule): \(text)'")
        }
        let groups = rest.contains("[") ? rest.split(separator: "[").dropFirst(rest.hasPrefix("[") ? 0 : 1) : [rest]
        var matches: [QueryTest.Match] = []
        for group in groups {
            var events: [Int?] = []
            for word in group.split(whereSeparator: { " \t,]".contains($0) }) {
                guard word != "-" else {
                    events.append(nil)
                    continue
                }
                guard let number = Int(word), test.events.indices.contains(number - 1) else {
                    throw QueryTestError(
                        line: line,
                        message: "'\(word)' is no number of an event, from 1 to \(test.events.count), nor '-' or 'none'"
                    )
                }
                events.append(number)
            }
            matches.append(QueryTest.Match(rule: rule, events: events))
        }
        return matches
    }

    /// The words of a line; blanks in quotes, brackets and braces do not end them.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if !isQuoted, depth == 0, character == " " || character == "\t" {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            word.append(character)
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "[", "{": depth += isQuoted ? 0 : 1
            case "]", "}": depth -= isQuoted || depth == 0 ? 0 : 1
            default: break
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
