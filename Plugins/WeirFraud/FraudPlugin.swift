internal import WeirCore
internal import WeirPatterns
public import WeirRecords
internal import WeirSelection

/// Finds cards that are misused, with two patterns over the purchases of each card.
///
/// *Two places*: two purchases in shops within a time, farther apart than a person travels in that time. *Trial*:
/// several small purchases, then a large one. Purchases must come in the order of their times.
///
/// A purchase waits for the one that shows a misuse with it until the rule's time is over. At most `--max-open`
/// purchases of one card wait; beyond, those that have waited longest are dropped and counted. That loses next to
/// nothing: such a purchase has been compared with all later ones of the card without a suspicion, so they were made
/// nearby, and whatever comes next is compared with them. All cards together are limited to about four million.
///
/// A card is forgotten when nothing can be found with its purchases any more and its place is needed: `--max-cards` limits
/// the cards within the longest of the rules' times. Beyond it the purchases of new cards are rejected, and known ones go on.
public struct FraudPlugin: Plugin {
    public let name = "fraud"
    public let summary = "Reports cards that are in two places at once, or are tried out with small amounts."

    public let options =
        [
            OptionDeclaration(
                "within",
                .duration,
                default: "10m",
                help: "how soon the second of two purchases follows"
            ),
            OptionDeclaration(
                "distance",
                .number(unit: "km", minimum: 0),
                default: "500",
                help: "and how far away it is: farther than a person travels"
            ),
            OptionDeclaration("trials", .integer(1...100), default: "3", help: "how many small purchases try a card"),
            OptionDeclaration("small", .number(), default: "5", help: "what is small at most"),
            OptionDeclaration("large", .number(), default: "500", help: "what is large at least"),
            OptionDeclaration(
                "trial-time",
                .duration,
                default: "1h",
                help: "how long the trials and the large purchase take together"
            ),
            OptionDeclaration(
                "columns",
                .mapping(keys: ["time", "card", "amount", "latitude", "longitude", "face-to-face"]),
                default:
                    "time=time,card=card,amount=amount,latitude=latitude,longitude=longitude,face-to-face=face-to-face",
                help: "the fields to read, such as card=pan,time=t"
            ),
        ] + OptionDeclaration.times + [
            OptionDeclaration(
                "max-cards",
                .integer(1...100_000_000),
                default: "1000000",
                help: "how many different cards there can be within --within and --trial-time"
            ),
            OptionDeclaration(
                "max-open",
                .integer(1...1_000_000),
                default: "100",
                help: "how many purchases of a card can wait for a suspicious one; the oldest give way"
            ),
        ]

    public let examples = [
        (arguments: "fraud --from demo", meaning: "try it on made-up purchases"),
        (arguments: "fraud purchases.csv --within 30m --distance 800", meaning: "with limits of your own"),
    ]

    /// Creates the plugin.
    public init() {}

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let rules = try Self.rules(options)
        let cards = SymbolTable(forgettingAfter: rules.longestTime, limit: options.integer("max-cards"))
        let times = try options.times(countingIn: output)
        let purchases = RecordSource(
            PurchaseDecoder(cards: cards),
            schema: Self.schema(options.mapping("columns"), times)
        )
        let drawing = output.report.map { FraudDrawing($0, cards: cards) }
        if let drawing { purchases.attach(drawing.sink()) }

        let refused = output.makeCount(of: "purchases found no room, because too many partial matches were open")
        let mostOpen = options.integer("max-open")
        let limits = PatternLimits(partialMatchesPerGroup: mostOpen, work: mostOpen, policy: .dropOldest)
        let settings = PatternSettings(limits: limits, reportsTimeouts: false)
        let twoPlaces = purchases.matches(of: rules.twoPlaces, settings)
        twoPlaces.refused.subscribe { _ in refused.add() }
        twoPlaces
            .map { first, second in
                Suspicion(
                    rule: .twoPlaces,
                    purchases: [first, second],
                    card: cards.name(of: second.card),
                    timeForm: times.form
                )
            }
            .tap { drawing?.mark($0) }
            .attach(output.sink())
        let trials = purchases.matches(of: rules.trial, settings)
        trials.refused.subscribe { _ in refused.add() }
        let (lostPlaces, lostTrials) = (twoPlaces.losses, trials.losses)
        output.showCount(of: "partial matches were given up, because their card had more than --max-open") {
            lostPlaces.partialMatches + lostTrials.partialMatches
        }
        output.showCount(of: "purchases are part of more suspicions than were reported, as --max-open limits them") {
            lostPlaces.eventsCutShort + lostTrials.eventsCutShort
        }
        let (heldPlaces, heldTrials) = (twoPlaces.partialMatches, trials.partialMatches)
        output.showPartialMatches { heldPlaces.value + heldTrials.value }
        trials
            .map { small, large in
                Suspicion(
                    rule: .trial,
                    purchases: small + [large],
                    card: cards.name(of: large.card),
                    timeForm: times.form
                )
            }
            .tap { drawing?.mark($0) }
            .attach(output.sink())
        // After the patterns: what they remember of a card that is idle has expired with the event.
        purchases.subscribeWithTime { _, time in cards.advance(to: time) }
        // Suspicions come in the order of the purchases, whichever the pattern.
        return purchases.consumer(inOrder: true, savesState: true)
    }

    private static func rules(_ options: OptionValues) throws(PluginError) -> FraudRules {
        for name in ["within", "trial-time"] where options.duration(name) == .zero {
            throw .invalidOption(name: name, reason: "must be longer than 0")
        }
        guard options.number("small") < options.number("large") else {
            throw .invalidOption(
                name: "large",
                reason: "\(options.number("large")) is not above --small, \(options.number("small"))"
            )
        }
        return FraudRules(
            travelTime: options.duration("within"),
            distance: options.number("distance") * 1_000,
            trials: options.integer("trials"),
            small: options.number("small"),
            large: options.number("large"),
            trialTime: options.duration("trial-time")
        )
    }

    private static func schema(_ columns: [String: String], _ times: InputTimes) -> RecordSchema {
        let required: Set<PurchaseDecoder.Key> = [.time, .card, .amount]
        let fields = PurchaseDecoder.Key.allCases.map { key in
            RecordSchema.Field(columns[key.fieldName] ?? key.fieldName, isRequired: required.contains(key))
        }
        return RecordSchema(
            fields: fields,
            times: times,
            timeField: PurchaseDecoder.Key.time.rawValue,
            isOrdered: true
        )
    }

    public func partitionField(_ options: OptionValues) -> String? { options.mapping("columns")["card"] }

    public func matchFields(_ options: OptionValues) -> [String] {
        ["time", "card", "rule", "amount", "kilometres", "purchases"]
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        var graph = PluginGraph()
        let purchases = graph.add("purchases", .source)
        let places = graph.add(
            "pattern per card: in shops, then \(options.number("distance")) km away within \(options.duration("within").text)",
            .step,
            after: purchases
        )
        let trial = graph.add(
            "pattern per card: \(options.integer("trials")) small, then a large one within \(options.duration("trial-time").text)",
            .step,
            after: purchases
        )
        graph.add("suspicions", .sink, after: places, trial)
        return graph
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        FraudDemo.source(seed: seed)
    }
}
