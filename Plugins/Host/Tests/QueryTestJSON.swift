internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Reads tests that programs write.
///
/// ```json
/// {"tests": [{
///   "name": "a failure, then a success",
///   "rule": "sequence by user [login where not ok] [login where ok]",
///   "events": [
///     {"time": "0s", "event.category": "login", "user": "ann", "ok": false},
///     {"time": "10s", "event.category": "login", "user": "ann", "ok": true}
///   ],
///   "expect": [[1, 2]]
/// }]}
/// ```
///
/// With several rules, `rules` is an object of their texts by name, and `expect` one of matches by name.
struct QueryTestJSON {
    let path: String

    private static let names = ["name", "rule", "rules", "language", "category", "time", "types", "events", "expect"]

    /// The tests of a text.
    ///
    /// - Throws: ``QueryTestError`` with the first line that cannot be understood.
    func tests(in bytes: [UInt8]) throws(QueryTestError) -> [QueryTest] {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.read(bytes)
        } catch {
            throw QueryTestError(line: error.place.line, message: error.reason)
        }
        var nodes = [root]
        if case .object(let members) = root.value, let member = members.first, members.count == 1,
            member.name == "tests",
            case .array(let elements) = member.value.value
        {
            nodes = elements
        }
        var tests: [QueryTest] = []
        for node in nodes { tests.append(try test(node)) }
        return tests
    }

    private func test(_ node: JSONNode) throws(QueryTestError) -> QueryTest {
        guard case .object(let members) = node.value else { throw flaw("a test is an object", node) }
        if let other = members.first(where: { !Self.names.contains($0.name) }) {
            throw QueryTestError(
                line: other.place.line,
                message: "there is no '\(other.name)'" + Suggestion.text(for: other.name, among: Self.names)
            )
        }
        func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.value }
        func text(_ name: String) throws(QueryTestError) -> String? {
            guard let node = member(name) else { return nil }
            guard case .text(let text) = node.value else { throw flaw("'\(name)' is a text", node) }
            return text
        }
        var test = QueryTest(
            name: try text("name") ?? "\(path):\(node.place.line)",
            file: path,
            line: node.place.line
        )
        for option in [OptionDeclaration.language, .category, .time, .types] {
            test.options[option.name] = try text(option.name)
        }
        if let query = try text("rule") { test.rules = [RuleText(name: RuleText.nameOfQuery, text: query)] }
        if let node = member("rules") {
            guard case .object(let rules) = node.value else {
                throw flaw("'rules' is an object of texts by the names of the rules", node)
            }
            for rule in rules {
                guard case .text(let text) = rule.value.value else { throw flaw("a rule is a text", rule.value) }
                test.rules.append(RuleText(name: rule.name, text: text))
            }
        }
        guard !test.rules.isEmpty else { throw flaw("the test has no 'rule'", node) }
        for node in try elements(of: "events", member("events") ?? node) {
            test.events.append(try event(node, of: test))
        }
        guard let expectation = member("expect") else { throw flaw("the test lacks 'expect'", node) }
        if case .object(let lists) = expectation.value {
            for list in lists {
                guard test.rules.contains(where: { $0.name == list.name }) else {
                    throw flaw("there is no rule '\(list.name)'", list.value)
                }
                test.expected += try matches(list.value, of: list.name, test)
            }
        } else {
            guard test.rules.count == 1 else { throw flaw("say of which rule each match is", expectation) }
            test.expected = try matches(expectation, of: test.rules[0].name, test)
        }
        return test
    }

    private func event(_ node: JSONNode, of test: QueryTest) throws(QueryTestError) -> QueryTest.Event {
        guard case .object(let members) = node.value else { throw flaw("an event is an object", node) }
        guard case .text(let word)? = members.first(where: { $0.name == test.timeField })?.value.value,
            let time = QueryTest.time(word)
        else { throw flaw("an event has a text '\(test.timeField)', such as \"1m30s\" or a date", node) }
        return QueryTest.Event(
            time: time,
            fields: members.filter { $0.name != test.timeField }.map { ($0.name, $0.value.json) },
            text: String(decoding: node.json, as: UTF8.self)
        )
    }

    private func matches(
        _ node: JSONNode,
        of rule: String,
        _ test: QueryTest
    ) throws(QueryTestError) -> [QueryTest.Match] {
        var matches: [QueryTest.Match] = []
        for node in try elements(of: "expect", node) {
            var events: [Int?] = []
            for node in try elements(of: "a match", node) {
                switch node.value {
                case .null: events.append(nil)
                case .number(let text):
                    guard let number = Int(text), test.events.indices.contains(number - 1) else {
                        throw flaw("\(text) is no number of an event, from 1 to \(test.events.count)", node)
                    }
                    events.append(number)
                default: throw flaw("a match is a list of numbers of events, and null", node)
                }
            }
            matches.append(QueryTest.Match(rule: rule, events: events))
        }
        return matches
    }

    private func elements(of name: String, _ node: JSONNode) throws(QueryTestError) -> [JSONNode] {
        guard case .array(let elements) = node.value else { throw flaw("'\(name)' is a list", node) }
        return elements
    }

    private func flaw(_ message: String, _ node: JSONNode) -> QueryTestError {
        QueryTestError(line: node.place.line, message: message)
    }
}

extension JSONNode {
    /// The value as JSON.
    var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}
