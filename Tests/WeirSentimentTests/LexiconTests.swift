import Testing
import WeirSentiment

@Suite struct LexiconTests {
    private let lexicon: Lexicon

    init() throws {
        lexicon = try Lexicon(Array("good\t3\nbad\t-3\nnot good\t-2\nhappy\t2\n:)\t2\n👍\t1\ncan't stand\t-3\n".utf8))
    }

    @Test(arguments: [
        ("Good.", 3.0), ("GOOD, good", 6), ("goods", 0), ("", 0), ("good bad", 0),
        // Negations reach three words, within the sentence.
        ("never bad", 3), ("isn't this really good", -3), ("isn't this really very good", 3), ("no. good", 3),
        ("don\u{2019}t be happy", -2), ("dont be happy", -2),
        // A phrase counts once, and its negation is its own.
        ("not good", -2), ("not good happy", 0), ("I can't stand it", -3),
        ("nice :) 👍👍", 4), ("#good @good $good", 3), ("http://good.com/good www.good.com", 0),
        ("(good)", 3), ("so-good", 3), ("'good'", 3),
    ])
    func theValueIsTheSumOfTheWords(text: String, value: Double) {
        #expect(lexicon.value(of: text) == value, "\(text)")
    }

    @Test func readsTheCommonForm() throws {
        let lexicon = try Lexicon(Array("# a comment\n\nword\t2.5\textra\r\nlast\t-1".utf8))
        #expect(lexicon.count == 2)
        #expect(lexicon.value(of: "word last") == 1.5)
    }

    @Test(arguments: [
        ("good", "line 1: expected a word, a tab and a number, such as 'good<TAB>3'"),
        ("good\t3\nbad\tx", "line 2: 'x' is not a number"),
        ("good\tnan", "line 1: 'nan' is not a number"),
        ("\t3", "line 1: expected a word, a tab and a number, such as 'good<TAB>3'"),
    ])
    func flawsAreNamedWithTheirLine(text: String, complaint: String) {
        let flaw = #expect(throws: Lexicon.Flaw.self) { try Lexicon(Array(text.utf8)) }
        #expect(flaw?.description == complaint)
    }

    @Test func flawsAreOneLine() {
        let flaw = #expect(throws: Lexicon.Flaw.self) { try Lexicon(Array("good\t\u{1B}[31m".utf8)) }
        #expect(flaw?.description == "line 1: '\u{FFFD}[31m' is not a number")
    }

    @Test func theBuiltInListKnowsGoodFromBad() {
        #expect(Lexicon.builtIn.count > 300)
        #expect(Lexicon.builtIn.value(of: "I love this, great work 👍") > 0)
        #expect(Lexicon.builtIn.value(of: "what a terrible mess :(") < 0)
        #expect(Lexicon.builtIn.value(of: "the shop opens at nine") == 0)
    }
}
