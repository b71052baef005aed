import WeirCore

/// Makes up queries.
struct QueryMaker {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    mutating func pick(_ texts: [String]) -> String { texts[below(texts.count)] }

    /// Words, signs and parts of them in any order.
    mutating func soup() -> String {
        let tokens = [
            "sequence", "sample", "by", "with", "maxspan", "runs", "until", "where", "any", "process", "not", "and",
            "or",
            "in", "like", "regex", "~", ":", "==", "=", "!=", "<", "(", ")", "[", "]", "![", ",", "|", "head", "tail",
            "count", "unique", "sort", "5", "5m", "0.5", "1e9", "-", "+", "*", "/", "%", "?", ".", "name", "pid",
            "`a b`",
            "\"a*\"", "\"", "\"\"\"", "\"\"\"x\"\"\"", "'", "`", "null", "true", "false", "length", "concat",
            "cidrMatch",
            "\"10.0.0.0/8\"", "//", "/*", "*/", "\n", "\\", "é", "🙂", "\u{0}", "9223372036854775808", "\"(a|b)*\"",
            "any where true", "[any where true]", "name == \"a\"", "pid in (1, 2)", "\"\\u{41}\"", "\t",
        ]
        return (0..<(1 + below(14))).map { _ in pick(tokens) + pick(["", " ", " "]) }.joined()
    }

    /// A text with some bytes changed, left out or doubled.
    mutating func mutated(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<(1 + below(4)) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(4) {
            case 0: bytes[place] = UInt8(32 + below(95))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[below(bytes.count)], at: place)
            default:
                let end = min(bytes.count, place + below(20))
                bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Queries that are right

    mutating func query() -> String {
        let pipes = pick([
            "", "", " | head 5", " | tail 3 | count", " | unique user | sort pid, -n", " | count user, n + 1",
        ])
        switch below(4) {
        case 0: return "\(filter())\(pipes)"
        case 1:
            return "sample by \(pick(["user", "user, ?host"])) [\(filter())] [\(filter())]\(pipes)"
        default:
            let keys = pick(["", " by user", " by ?user, `my host`"])
            let span = pick([" with maxspan=5m", " with maxspan=1500ms", " with maxspan = 36h"])
            let own = pick(["", " by pid", " by ?a.b"])
            let steps = (0..<(1 + below(3))).map { _ in
                "\(pick(["", "", "!"]))[\(filter())]\(own)\(pick(["", "", " with runs=3"]))"
            }
            let until = pick(["", " until [\(filter())]\(own)"])
            return "sequence\(keys)\(span) [\(filter())]\(own) \(steps.joined(separator: "\n  "))\(until)\(pipes)"
        }
    }

    mutating func filter() -> String {
        "\(pick(["any", "process", "\"my category\"", "\"any\""])) where \(condition(3))"
    }

    mutating func condition(_ depth: Int) -> String {
        switch below(depth > 0 ? 14 : 9) {
        case 0: return "\(text()) \(pick(["==", "!=", "<", ">="])) \(text())"
        case 1: return "\(number(2)) \(pick(["==", "!=", "<", "<=", ">", ">="])) \(number(2))"
        case 2: return "\(pick(["user", "?x", "a.b", "pid"])) \(pick(["==", "!="])) null"
        case 3: return "\(text()) \(pick([":", "like", "like~"])) \(pick(["\"a*\"", "(\"b?\", \"c\")"]))"
        case 4: return "\(text()) \(pick(["regex", "regex~"])) \(pick(["\"a.*\"", "(\"b+\", \"c\")"]))"
        case 5: return "\(text()) \(pick(["in", "in~", "not in"])) (\"a\", \"b\")"
        case 6: return "\(number(1)) \(pick(["in", "not in"])) (1, 2.5, null\(pick(["", ", n"])))"
        case 7:
            return pick([
                "ok", "?flag", "true", "ok == false", "startsWith~(user, \"a\")", "cidrMatch(ip, \"10.0.0.0/8\")",
            ])
        case 8: return "not \(pick(["ok", "pid == 1", "(ok or flag)", "not ok"]))"
        case 9: return "(\(condition(depth - 1)))"
        case 10: return "not (\(condition(depth - 1)))"
        case 11: return "\(condition(depth - 1)) or \(condition(depth - 1)) or \(condition(depth - 1))"
        default: return "\(condition(depth - 1)) and \(condition(depth - 1))"
        }
    }

    private mutating func text() -> String {
        pick([
            "user", "?host", "`my field`", "process.name", "\"a\\n\\\"\\\\é\"", "\"\"\"raw \\ \" \"\"\"",
            "concat(user, 5, n)",
            "substring(user, 1, -1)", "between~(user, \"a\", \"b\", true)", "string(pid)",
        ])
    }

    private mutating func number(_ depth: Int) -> String {
        switch below(depth > 0 ? 8 : 5) {
        case 0: return "pid"
        case 1: return pick(["5", "-5", "0.25", "1e3", "9223372036854775807"])
        case 2: return pick(["length(user)", "indexOf(user, \"a\", 1)", "number(user)", "add(pid, 1)"])
        case 3: return "?n"
        case 4: return "-pid"
        case 5: return "(\(number(depth - 1)))"
        default: return "\(number(depth - 1)) \(pick(["+", "-", "*", "/", "%"])) \(number(depth - 1))"
        }
    }
}
