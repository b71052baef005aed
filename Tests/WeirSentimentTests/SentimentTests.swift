import Foundation
import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirSentiment

@Suite struct SentimentTests {
    private func post(_ text: String, at time: String, followers: Int, more: String = "") -> String {
        #"{"created_at":"\#(time)","id_str":"7","text":"\#(text)","user":{"followers_count":\#(followers)}\#(more)}"#
            + "\n"
    }

    private func run(_ given: [String: String] = [:], _ lines: [String]) throws -> PluginRun {
        try PluginRun(SentimentPlugin(), given, jsonLines: lines.joined())
    }

    private let noon = "Wed Oct 10 12:00:00 +0000 2018"
    private let nextSecond = "Wed Oct 10 13:00:01 +0100 2018"

    @Test func addsUpWhatPostsSayAboutBrands() throws {
        let run = try run([
            post("I love Apple", at: noon, followers: 100),
            post("Google's maps are useless, apple is great", at: nextSecond, followers: 0),
            post("apple opens at nine", at: nextSecond, followers: 9),
            post("awful weather", at: nextSecond, followers: 9),
        ])
        #expect(
            run.lines[0]
                == #"{"time":"Wed Oct 10 12:00:00 +0000 2018","kind":"post","brand":"Apple","score":102.0,"total":102.0,"posts":1,"#
                + #""sentiment":3.0,"followers":100.0,"id":"7","text":"I love Apple"}"#
        )
        #expect(run.values(of: "brand") == ["Apple", "Apple", "Google", "Apple"])
        #expect(run.values(of: "score") == ["102.0", "1.0", "1.0", "0.0"])
        #expect(run.values(of: "total") == ["102.0", "103.0", "1.0", "103.0"])
        #expect(run.times[3] == "Wed Oct 10 12:00:01 +0000 2018")
    }

    @Test(arguments: [
        ("$AAPL", ["Apple"]), ("aapl", ["Apple"]), ("#Apple", ["Apple"]), ("@apple", ["Apple"]), ("APPLE'S", ["Apple"]),
        ("apple\u{2019}s", ["Apple"]), ("pineapple", []), ("apples", []), ("http://apple.com", []),
        ("$GOOG vs $AAPL", ["Apple", "Google"]), ("apple-google", ["Apple", "Google"]),
    ])
    func brandsAreNamedByWholeWords(text: String, brands: [String]) throws {
        #expect(try run([post(text, at: noon, followers: 1)]).values(of: "brand") == brands)
    }

    private func run(_ lines: [String]) throws -> PluginRun { try run([:], lines) }

    @Test func brandsCanBeChosen() throws {
        let lines = [post("weir beats apple", at: noon, followers: 0), post("dams hold", at: noon, followers: 0)]
        #expect(
            try run(["brand": "Weir=weir,dams\nOrchard=apple"], lines).values(of: "brand") == [
                "Weir", "Orchard", "Weir",
            ]
        )
        #expect(try run(["brand": "weir"], lines).values(of: "brand") == ["weir"])
        for (text, complaint) in [
            ("X=", "--brand: 'X=' is not of the form NAME=word,word, with words of letters and digits"),
            ("X=a,,b", "--brand: 'X=a,,b' is not of the form NAME=word,word, with words of letters and digits"),
            ("X=a\nX=b", "--brand: 'X' is given twice"),
        ] {
            let error = #expect(throws: PluginError.self) { try run(["brand": text], []) }
            #expect(error?.description == complaint)
        }
    }

    @Test func retweetsCanBeLeftOut() throws {
        let lines = [
            post("apple is great", at: noon, followers: 0),
            post("RT @x: apple is great", at: noon, followers: 0),
            post("apple is great", at: noon, followers: 0, more: #","is_retweet":true"#),
            post("apple is great", at: noon, followers: 0, more: #","retweeted_status":{"id":1}"#),
        ]
        #expect(try run([:], lines).lines.count == 4)
        #expect(try run(["retweets": "exclude"], lines).lines.count == 1)
    }

    @Test func endsAfterThePostsThatWereAskedFor() throws {
        let lines = (0..<50).map { post("apple is great", at: noon, followers: $0) }
        #expect(try run(["take": "3"], lines).lines.count == 3)
    }

    @Test func addsUpARollingWindow() throws {
        let lines = [0, 1_800, 3_599, 3_600, 9_000].map { second in
            #"{"created_at":\#(second),"text":"apple is great","user":{"followers_count":100}}"# + "\n"
        }
        let run = try run(["window": "1h", "time-unit": "s"], lines)
        // A post that is exactly an hour old is out.
        #expect(run.values(of: "window") == ["102.0", "204.0", "306.0", "306.0", "102.0"])
        #expect(run.values(of: "total") == ["102.0", "204.0", "306.0", "408.0", "510.0"])
    }

    @Test func reportsTotalsAtTheMultiplesOfAnInterval() throws {
        let lines = [3, 5, 12, 47].map { second in
            #"{"created_at":\#(second),"text":"apple is great","user":{"followers_count":100}}"# + "\n"
        }
        let run = try run(["every": "10s", "time-unit": "s", "brand": "apple"], lines)
        #expect(run.values(of: "kind") == ["post", "post", "total", "post", "total", "post", "total"])
        #expect(
            run.times == ["3", "5", "10", "12", "40", "47", "47"]
        )
        #expect(run.values(of: "total") == ["102.0", "204.0", "204.0", "306.0", "306.0", "408.0", "408.0"])
    }

    @Test func timesMayBeAnyDistanceApart() throws {
        let csv = "created_at,text\n\(Int64.min),good apple\n0,good apple\n\(Int64.max),good apple\n"
        let run = try PluginRun(
            SentimentPlugin(),
            ["time-unit": "ns", "window": "1h", "every": "7d"],
            csv: csv
        )
        #expect(run.rejections.isEmpty)
        // The first post has left the window when the next one comes.
        let posts = run.lines.filter { $0.contains(#""kind":"post""#) }
        #expect(posts.count == 3 && posts.allSatisfy { $0.contains(#""window":1.0,"#) })
    }

    @Test func rejectsWhatIsNoPostAndGoesOn() throws {
        let run = try run([
            post("apple", at: "Wed Foo 10 12:00:00 +0000 2018", followers: 1),
            post("apple", at: "Wed Oct 32 12:00:00 +0000 2018", followers: 1),
            post("apple", at: noon, followers: -1),
            #"{"created_at":"\#(noon)"}"# + "\n",
            "[]\n",
            post("apple", at: noon, followers: 1),
        ])
        #expect(run.rejections == [1, 2, 3, 4, 5])
        #expect(run.lines.count == 1)
    }

    @Test func readsTablesToo() throws {
        let csv = "when,body,fans\n2024-01-01T00:00:00Z,\"apple, great\",100\n"
        let run = try PluginRun(SentimentPlugin(), ["columns": "time=when,text=body,followers=fans"], csv: csv)
        #expect(run.values(of: "score") == ["102.0"])
    }

    @Test func aListOfWordsComesFromAFile() throws {
        let path = FileManager.default.temporaryDirectory.path + "/weir-words-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("splendiferous\t5\n".utf8).write(to: URL(fileURLWithPath: path))
        let lines = [post("splendiferous apple", at: noon, followers: 0)]
        #expect(try run(["lexicon": path], lines).values(of: "sentiment") == ["5.0"])
        #expect(try run([:], lines).values(of: "sentiment") == ["0.0"])
        try Data("splendiferous 5\n".utf8).write(to: URL(fileURLWithPath: path))
        let flawed = #expect(throws: PluginError.self) { try run(["lexicon": path], lines) }
        #expect(flawed?.description.contains("line 1: expected a word, a tab and a number") == true)
        let missing = #expect(throws: PluginError.self) { try run(["lexicon": path + "x"], lines) }
        #expect(missing?.description.contains("cannot open") == true)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theDemoEndsWithOneBrandAhead(seed: UInt64) throws {
        let run = try PluginRun(
            SentimentPlugin(),
            ["every": "1h"],
            source: SentimentPlugin().makeDemo(seed: seed)
        )
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "brand").suffix(2) == ["Apple", "Google"])
        let totals = run.values(of: "total").suffix(2).compactMap(Double.init)
        #expect(totals[0] > totals[1])
    }
}
