import Testing
import WeirCore
import WeirQueries

/// Wildcards and texts without meaning, compared with the definition.
struct WildcardTests {
    private func matches(_ pattern: String, _ text: String, ignoringCase: Bool = false) throws -> Bool {
        try TextPattern(pattern, .wildcard, ignoringCase: ignoringCase).matches(text)
    }

    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("**", "ab", true), ("a*", "a", true), ("a*", "ba", false),
        ("*a", "ba", true), ("*a", "ab", false), ("*a*", "bab", true), ("a", "a", true), ("a", "ab", false),
        ("d?c", "doc", true), ("d?c", "dooc", false), ("?", "é", true), ("?", "éé", false), ("??", "é", false),
        ("*?b", "éb", true), ("a*b*c", "a-b-c", true), ("a*b*c", "a-c-b", false), ("a*a", "a", false),
        ("*.exe", "cmd.EXE", false), (#"c:\*\x"#, #"c:\a\x"#, true), (#"\*"#, #"\anything"#, true),
        ("*🙂?", "x🙂y", true), ("ab*ab", "ab", false), ("ab*ab", "abab", true),
    ])
    func definition(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test(arguments: [
        ("*.exe", "CMD.EXE", true), ("CMD", "cmd", true), ("É*", "été", true), ("straße", "STRASSE", false),
        ("\u{212A}", "k", true), ("ω?", "ΩX", true), ("a", "b", false),
    ])
    func caseIsIgnored(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try matches(pattern, text, ignoringCase: true) == expected)
        let literal = try TextPattern(pattern, .literal, ignoringCase: true)
        #expect(literal.matches(text) == (expected && !pattern.contains { "*?".contains($0) }))
    }

    @Test
    func bytesThatAreNoTextsMatchWhatTakesAnything() throws {
        let bytes: [UInt8] = [0xFF, 0x61, 0xC3]
        for (pattern, expected) in [("*", true), ("*a*", true), ("?a?", true), ("*b*", false), ("a*", false)] {
            for ignoresCase in [false, true] {
                let pattern = try TextPattern(pattern, .wildcard, ignoringCase: ignoresCase)
                #expect(pattern.matches(ContiguousArray(bytes).span) == expected, "\(pattern.text)")
            }
        }
    }

    @Test
    func equalityIsThatOfTheSource() throws {
        let one = try TextPattern("a*", .wildcard)
        #expect(try one == TextPattern("a*", .wildcard))
        #expect(try one != TextPattern("a*", .regularExpression))
        #expect(try one != TextPattern("a*", .wildcard, ignoringCase: true))
        #expect(try one != TextPattern("a**", .wildcard))
    }

    /// The definition: each star is tried with each length.
    private func model(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return model(pattern.dropFirst(), text) || (!text.isEmpty && model(pattern, text.dropFirst()))
        }
        return !text.isEmpty && (first == "?" || first == text[text.startIndex])
            && model(pattern.dropFirst(), text.dropFirst())
    }

    @Test
    func randomPatterns() throws {
        let letters: [Unicode.Scalar] = ["a", "b", "é", "🙂"]
        for seed in 0..<UInt64(60_000) {
            var random = SeededGenerator(seed: seed)
            func text(_ letters: [Unicode.Scalar], _ most: UInt64) -> [Unicode.Scalar] {
                (0..<(random.next() % (most + 1))).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
            }
            let pattern = text(letters + ["*", "*", "?"], 6)
            let other = text(letters, 8)
            func string(_ scalars: [Unicode.Scalar]) -> String {
                scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
            }
            let found = try matches(string(pattern), string(other))
            #expect(found == model(pattern[...], other[...]), "seed \(seed): \(string(pattern)) on \(string(other))")
        }
    }
}
