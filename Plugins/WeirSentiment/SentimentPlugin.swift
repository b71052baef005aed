internal import WeirCore
internal import WeirFiles
public import WeirRecords
internal import WeirSelection

/// Adds up what posts say about brands, weighted with how many people follow their authors.
///
/// The weight of an author is `1 + 1.01 × followers`. The text decides the sign: it is the sign of the sum of its words'
/// values, zero for a text without any; see ``Lexicon``. The result counts for every brand that the post names, and the
/// plugin reports each brand's running sum after each post.
///
/// Measured on 2,915 public posts that people rated (the tweets of the VADER project): with the built-in list 2,093 get a
/// sign, which is the people's for 95 % of them; with the AFINN-111 list 2,321, of which 95 % too. The others have no
/// listed word, and count for nothing.
public struct SentimentPlugin: Plugin {
    public let name = "sentiment"
    public let summary = "Adds up what posts say about brands, weighted with their authors' followers."

    public let options =
        [
            OptionDeclaration(
                "brand",
                .list(placeholder: "NAME=WORD,WORD"),
                default: "Apple=apple,aapl\nGoogle=google,goog,googl",
                help: "a brand and the words that name it; may be given several times"
            ),
            OptionDeclaration(
                "lexicon",
                .text(placeholder: "FILE"),
                help: "words and their values, 'word<TAB>number' a line (default: a built-in list)"
            ),
            OptionDeclaration("take", .integer(1...Int.max), help: "end after this number of posts"),
            OptionDeclaration(
                "retweets",
                .choice(["include", "exclude"]),
                default: "include",
                help: "whether posts that only repeat others count"
            ),
            OptionDeclaration("window", .duration, help: "add a rolling sum over this long, such as 1h"),
            OptionDeclaration("every", .duration, help: "also report all totals this often, in the posts' time"),
            OptionDeclaration(
                "columns",
                .mapping(keys: ["time", "text", "full-text", "followers", "id", "retweet", "retweeted"]),
                default: "time=created_at,text=text,full-text=full_text,followers=user.followers_count,id=id_str,"
                    + "retweet=is_retweet,retweeted=retweeted_status",
                help: "the fields to read, such as text=body; a.b is b in a"
            ),
        ] + OptionDeclaration.times

    public let examples = [
        (arguments: "sentiment --from demo", meaning: "try it on made-up posts"),
        (
            arguments: "sentiment posts.jsonl --take 1000 --window 1h",
            meaning: "posts as Twitter's interface gives them"
        ),
        (
            arguments: "sentiment posts.csv --columns followers=fans --brand Weir=weir,weirs",
            meaning: "columns of a table, and another brand"
        ),
    ]

    /// Creates the plugin.
    public init() {}

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let settings = try Self.settings(options, output)
        let maker = OpinionMaker(brands: try Self.brands(options), lexicon: try Self.lexicon(options))
        let decoder = PostDecoder(leavesOutRetweets: options.text("retweets") == "exclude")
        let times = try options.times(countingIn: output)
        let candidates = RecordSource(decoder, schema: Self.schema(options.mapping("columns"), times))
        let drawing = output.report.map { SentimentDrawing($0, brands: maker.brands) }
        candidates
            .filter { $0.isWanted }
            .take(options.integerIfGiven("take") ?? .max)
            .map { maker.opinion(of: $0.post) }
            .scores(of: maker.brands, settings)
            .tap { drawing?.draw($0) }
            .map { BrandScoreReport(score: $0, timeForm: times.form) }
            .attach(output.sink())
        return candidates.consumer(savesState: true)
    }

    private static func settings(
        _ options: OptionValues,
        _ output: MatchOutput
    ) throws(PluginError) -> ScoreSettings {
        let settings = ScoreSettings(
            window: options.durationIfGiven("window"),
            interval: options.durationIfGiven("every"),
            evicted: output.makeCount(of: "scores left the window early, because it was full")
        )
        for (name, duration) in [("window", settings.window), ("every", settings.interval)] where duration == .zero {
            throw .invalidOption(name: name, reason: "must be longer than 0")
        }
        return settings
    }

    private static func brands(_ options: OptionValues) throws(PluginError) -> [Brand] {
        var brands: [Brand] = []
        for text in options.list("brand") {
            guard let brand = Brand(text) else {
                throw .invalidOption(
                    name: "brand",
                    reason: "'\(text)' is not of the form NAME=word,word, with words of letters and digits"
                )
            }
            guard !brands.contains(where: { $0.name == brand.name }) else {
                throw .invalidOption(name: "brand", reason: "'\(brand.name)' is given twice")
            }
            brands.append(brand)
        }
        return brands
    }

    private static func lexicon(_ options: OptionValues) throws(PluginError) -> Lexicon {
        guard let path = options.textIfGiven("lexicon") else { return .builtIn }
        do {
            let file = try FileTransport().openSource(FileTransport.address(ofPath: path))
            let lexicon = try Lexicon(try file.readAll(limit: 64 << 20, address: path))
            guard lexicon.count > 0 else {
                throw PluginError.invalidOption(name: "lexicon", reason: "there are no words in '\(path)'")
            }
            return lexicon
        } catch let error as PluginError {
            throw error
        } catch let flaw as Lexicon.Flaw {
            throw .invalidOption(name: "lexicon", reason: "'\(path)', \(flaw)")
        } catch {
            throw .invalidOption(name: "lexicon", reason: "\(error)")
        }
    }

    private static func schema(_ columns: [String: String], _ times: InputTimes) -> RecordSchema {
        let names = ["time", "text", "full-text", "followers", "id", "retweet", "retweeted"]
        let fields = names.map { name in
            RecordSchema.Field(columns[name] ?? name, isRequired: name == "time" || name == "text")
        }
        return RecordSchema(fields: fields, times: times, timeField: PostDecoder.Key.time.rawValue)
    }

    public func matchFields(_ options: OptionValues) -> [String] {
        ["time", "kind", "brand", "score", "total"] + (options.durationIfGiven("window") == nil ? [] : ["window"])
            + ["posts", "sentiment", "followers", "id", "text"]
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        var graph = PluginGraph()
        var last = graph.add("posts", .source)
        if options.text("retweets") == "exclude" { last = graph.add("filter: no retweets", .step, after: last) }
        if let count = options.integerIfGiven("take") { last = graph.add("take \(count)", .step, after: last) }
        last = graph.add("map: the author's score, the text's sign, the brands", .step, after: last)
        let total = graph.add("running sum per brand", .step, after: last)
        if let window = options.durationIfGiven("window") {
            let rolling = graph.add("rolling sum per brand over \(window.text)", .step, after: last)
            graph.add("scores", .sink, after: total, rolling)
        } else {
            graph.add("scores", .sink, after: total)
        }
        return graph
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        SentimentDemo.source(seed: seed)
    }
}

extension Lexicon {
    /// The list that comes with the plugin.
    public static let builtIn: Lexicon = {
        do throws(Flaw) {
            return try Lexicon(PackageResources.words_txt)
        } catch {
            preconditionFailure("the built-in list of words cannot be read: \(error)")
        }
    }()
}
