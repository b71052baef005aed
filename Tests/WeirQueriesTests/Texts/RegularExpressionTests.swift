import Testing
import WeirCore

@testable import WeirQueries

/// Regular expressions of Lucene, compared with its documentation and with a naive matcher.
struct RegularExpressionTests {
    @Test(arguments: [
        ("ab.*", "abcde", true), ("abcd", "abcde", false), ("ab...", "abcde", true), ("a.c.e", "abcde", true),
        ("a+b+", "aaabbb", true), ("aa+bbb+", "aaabbb", true), ("aaa?bbb?", "aaabbb", true),
        ("aaaa?bbbb?", "aaabbb", true), ("aa?bb?", "aaabbb", false), ("a{3}b{3}", "aaabbb", true),
        ("a{2,4}b{2,4}", "aaabbb", true), ("a{4,}b{4,}", "aaabbb", false), ("a{2,}b{2,}", "aaabbb", true),
        ("(ab)+", "ababab", true), ("(...)+", "ababab", true), ("(....)+", "ababab", false),
        ("(ab){1,2}", "ababab", false),
        ("aabb|bbaa", "aabb", true), ("aa(cc|bb)", "aabb", true), ("a+|b+", "aabb", false), ("ab[cd]+", "abcd", true),
        ("[^a-d]+", "abcd", false), ("[-abc]", "-", true), ("[abc\\-]", "-", true), ("[^-abc]", "-", false),
        ("[a-]", "-", true), ("[]a]", "]", true), ("a~bc", "adc", true), ("a~bc", "abc", false), ("a~bc", "ac", true),
        ("foo<1-100>", "foo80", true), ("foo<01-100>", "foo80", true), ("foo<001-100>", "foo80", false),
        ("foo<001-100>", "foo080", true), ("foo<1-100>", "foo101", false), ("foo<1-100>", "foo0", false),
        ("foo<100-1>", "foo099", true), ("<0-5>", "", false), ("<0-5>", "0", true), ("<0-5>", "6", false),
        ("aaa.+&.+bbb", "aaabbb", true), ("aaa&bbb", "aaabbb", false), ("@&~(foo.+)", "food", false),
        ("@&~(foo.+)", "bar", true), ("#", "", false), ("#|a", "a", true), ("@", "", true), ("", "", true),
        ("\"a.b\"", "a.b", true), ("\"a.b\"", "axb", false), ("\\.", ".", true), ("\\n", "n", true), ("()", "", true),
        ("\\d+", "0123", true), ("\\D", "5", false), ("\\w+\\s\\S", "a_1 b", true), ("[\\d_]+", "1_2", true),
        ("[\\D]", "x", true), ("(?:web|db).*", "web-1", true), (".", "🙂", true), ("[ʰ-˿ᴬ-ᶻ]+", "ʰᴬ", true),
        ("^a$", "a", false), ("^a$", "^a$", true), (".*?(how|read).*", "please read", true), ("a.b", "a\nb", true),
        ("~(ab)", "ab", false), ("~~a", "a", true), ("[24][0-9]{3}", "4755", true), ("a{0}", "", true),
    ])
    func documentation(_ expression: String, _ text: String, _ expected: Bool) throws {
        #expect(try TextPattern(expression, .regularExpression).matches(text) == expected)
    }

    @Test(arguments: [
        ("cmd\\.exe", "CMD.EXE", true), ("[a-f]+", "ABC", true), ("[A-F]+", "abc", true), ("[^a]", "A", false),
        ("É+", "éÉ", true), ("[À-Þ]", "é", true), ("\\w", "Q", true), ("\\W", "Q", false), ("~A", "a", false),
        ("(?:A|b){2}", "aB", true), ("\"Ab\"", "aB", true),
    ])
    func caseIsIgnored(_ expression: String, _ text: String, _ expected: Bool) throws {
        #expect(try TextPattern(expression, .regularExpression, ignoringCase: true).matches(text) == expected)
    }

    @Test(arguments: [
        ("(a", 2, "there is no ')' after '('; write '\\(' for the character"),
        ("a)", 1, "there is no '(' before ')'; write '\\)' for the character"),
        ("[ab", 3, "there is no ']' after '['; write '\\[' for the character"),
        ("*a", 0, "there is nothing to repeat before '*'; write '\\*' for the character"),
        ("a|", 2, "expected a character after '|'"),
        ("|a", 0, "expected a character before '|'; write '\\|' for the character"),
        ("a\\", 2, "expected a character after '\\'; write '\\\\' for a backslash"),
        ("a{x}", 2, "expected a number of repetitions; write '\\{' for the character"),
        ("a{2", 3, "expected '}' after the number of repetitions"),
        ("a{3,2}", 5, "the first number of repetitions is larger than the second"),
        ("a{1001}", 6, "something is repeated 1000 times at most"),
        ("[b-\u{E}]", 4, "the range 'b-\\u{0E}' ends before it begins"),
        ("[z-a]", 4, "the range 'z-a' ends before it begins"),
        ("é<a>", 3, "expected two numbers after '<', as in '<1-100>'"),
        ("\"a", 2, "there is no '\"' after '\"'; write '\\\"' for the character"),
        ("(?i)a", 2, "groups with '?' and other signs than ':' are not part of Lucene's regular expressions"),
        ("a***********", 12, "more than 10 repetitions follow each other"),
        ("(a{1000}){1000}", 0, "the expression takes more than 2000 places"),
        ("~(.*a.{15})", 0, "the expression takes more than 1000 states; write it without '~' and '&'"),
    ])
    func mistakes(_ expression: String, _ offset: Int, _ message: String) throws {
        #expect(throws: TextPatternError(message, at: offset)) { try TextPattern(expression, .regularExpression) }
    }

    @Test
    func groupsHaveALimit() {
        let deep = String(repeating: "(", count: 10_000) + "a" + String(repeating: ")", count: 10_000)
        #expect(throws: TextPatternError("more than 100 groups are in each other", at: 100)) {
            try TextPattern(deep, .regularExpression)
        }
    }

    /// An expression whose table would have 2¹⁶ states, and texts on which backtracking would not end.
    @Test
    func timeIsLinear() throws {
        let many = try TextPattern("(a|b)*a(a|b){15}", .regularExpression)
        let text = String(repeating: "ab", count: 5_000)
        #expect(many.matches(text + "a" + String(repeating: "b", count: 15)))
        #expect(!many.matches(text + "b" + String(repeating: "b", count: 15)))
        let nested = try TextPattern("(a*)*(a|aa)*b", .regularExpression)
        #expect(!nested.matches(String(repeating: "a", count: 100_000)))
        #expect(nested.matches(String(repeating: "a", count: 100_000) + "b"))
    }

    // MARK: The naive matcher

    /// Where an expression can end that begins at a place, of all places of a text.
    private func ends(_ expression: RegularExpression, _ text: [UInt32], _ start: Int) -> Set<Int> {
        switch expression {
        case .character(let set):
            return start < text.count && set.ranges.contains { $0.contains(text[start]) } ? [start + 1] : []
        case .sequence(let parts):
            return parts.reduce([start]) { starts, part in Set(starts.flatMap { ends(part, text, $0) }) }
        case .either(let members): return Set(members.flatMap { ends($0, text, start) })
        case .repeated(let inner, let least, let most):
            var reached: Set<Int> = [start]
            var result: Set<Int> = least == 0 ? [start] : []
            for count in 1...max(1, most ?? (least + text.count + 1)) where most != 0 {
                reached = Set(reached.flatMap { ends(inner, text, $0) })
                if count >= least { result.formUnion(reached) }
            }
            return result
        case .not(let inner): return Set(start...text.count).subtracting(ends(inner, text, start))
        case .both(let one, let other): return ends(one, text, start).intersection(ends(other, text, start))
        }
    }

    private func written(_ random: inout SeededGenerator, depth: Int) -> String {
        let choice = random.next() % (depth > 0 ? 16 : 6)
        func inner() -> String { written(&random, depth: depth - 1) }
        switch choice {
        case 0, 1: return "a"
        case 2: return "b"
        case 3: return ["[ab]", "[^a]", "[b-é]"][Int(random.next() % 3)]
        case 4: return "."
        case 5: return ["()", "@", "#", "<1-12>", "<08-11>"][Int(random.next() % 5)]
        case 6, 7, 8: return inner() + inner()
        case 9, 10: return "(\(inner())|\(inner()))"
        case 11: return "(\(inner()))*"
        case 12: return "(\(inner()))" + ["?", "+", "{2}", "{1,2}", "{2,}"][Int(random.next() % 5)]
        case 13: return "~(\(inner()))"
        default: return "(\(inner())&\(inner()))"
        }
    }

    @Test
    func randomExpressions() throws {
        for seed in 0..<UInt64(5_000) {
            var random = SeededGenerator(seed: seed)
            let expression = written(&random, depth: 3)
            guard let pattern = try? TextPattern(expression, .regularExpression) else { continue }
            let tree = try RegularExpressionParser.tree(of: expression, ignoringCase: false)
            let places = PositionMatcher(try Positions(tree), ignoringCase: false)
            for _ in 0..<6 {
                let letters: [Unicode.Scalar] = ["a", "a", "b", "1", "0", "é"]
                var text = ""
                for _ in 0..<(random.next() % 6) { text.unicodeScalars.append(letters[Int(random.next() % 6)]) }
                let expected = ends(tree, text.unicodeScalars.map(\.value), 0).contains(text.unicodeScalars.count)
                #expect(pattern.matches(text) == expected, "seed \(seed): \(expression) on '\(text)'")
                #expect(
                    places.matches(ContiguousArray(text.utf8).span) == expected,
                    "seed \(seed): places of \(expression)"
                )
            }
        }
    }
}
