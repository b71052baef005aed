import TestPlugins
import Testing
import WeirCore
import WeirFraud
import WeirRecords

@Suite struct FraudTests {
    private let header = "time,card,amount,latitude,longitude,face-to-face\n"

    private func run(_ given: [String: String] = [:], _ rows: String) throws -> PluginRun {
        try PluginRun(FraudPlugin(), given, csv: header + rows)
    }

    @Test func aCardInTwoPlacesIsSuspicious() throws {
        let run = try run([:], "0,a,10,52.52,13.405,true\n60000,b,9,40.7,-74,true\n599000,a,20,40.713,-74.006,true\n")
        #expect(
            run.lines == [
                #"{"time":599000,"card":"a","rule":"two places","amount":20.0,"kilometres":6385.0,"#
                    + #""purchases":[{"time":0,"amount":10.0,"latitude":52.52,"longitude":13.405},"#
                    + #"{"time":599000,"amount":20.0,"latitude":40.713,"longitude":-74.006}]}"#
            ]
        )
    }

    @Test(arguments: [
        ("0,a,10,52.52,13.405,true\n600000,a,20,40.7,-74,true\n", 0),  // ten minutes are over
        ("0,a,10,52.52,13.405,true\n599999,a,20,40.7,-74,true\n", 1),
        ("0,a,10,52.52,13.405,true\n1000,a,20,40.7,-74,false\n", 0),  // bought from home
        ("0,a,10,52.52,13.405,true\n1000,a,20,52.5,13.4,true\n", 0),  // in the same town
        ("0,a,10,52.52,13.405,\n1000,a,20,40.7,-74,\n", 1),  // with a place, so in a shop
        ("0,a,10,,,true\n1000,a,20,40.7,-74,true\n", 0),  // nobody says where
        ("0,a,1,0,0,true\n1000,a,2,52.5,13.4,true\n2000,a,3,0,0,true\n", 2),
    ])
    func whatIsTwoPlaces(rows: String, count: Int) throws {
        #expect(try run([:], rows).lines.count == count)
    }

    @Test func whatIsRefusedLeavesNoTrace() throws {
        // Of a time that nothing could follow, and of a card that there would be no room for.
        let rows = "0,a,10,52.52,13.405,true\n900000,b,much,,,\n900000,c,1,99,0,\n1000,a,20,40.7,-74,true\n"
        let run = try run(["max-cards": "1"], rows)
        #expect(run.rejections == [3, 4])
        #expect(run.lines.count == 1)
    }

    @Test func severalSmallPurchasesAndThenALargeOneAreATrial() throws {
        let rows = [1, 2, 40, 5, 4, 500, 1, 900].enumerated().map { "\($0 * 60_000),a,\($1),,,false\n" }.joined()
        let run = try run([:], rows)
        #expect(run.values(of: "rule") == ["trial"])
        #expect(run.times == ["300000"])
    }

    @Test(arguments: [("5,5,5,500", 1), ("5,5,5.01,500", 0), ("5,5,5,499.99", 0), ("5,5,500,5", 0)])
    func theLimitsOfATrialAreIncluded(amounts: String, count: Int) throws {
        let rows = amounts.split(separator: ",").enumerated().map { "\($0),a,\($1),,,\n" }.joined()
        #expect(try run([:], rows).lines.count == count)
    }

    @Test func aTrialTakesAnHourAtMost() throws {
        let rows = "0,a,1,,,\n1,a,1,,,\n2,a,1,,,\n"
        #expect(try run([:], rows + "3599999,a,900,,,\n").lines.count == 1)
        #expect(try run([:], rows + "3600000,a,900,,,\n").lines.isEmpty)
        #expect(try run(["trial-time": "2h"], rows + "3600000,a,900,,,\n").lines.count == 1)
        #expect(try run(["trials": "4"], rows + "3,a,900,,,\n").lines.isEmpty)
    }

    @Test func rejectsWhatCannotBeAndGoesOn() throws {
        let run = try run(
            [:],
            "0,a,10,52.52,13.405,true\nx,a,1,,,\n-1,a,1,,,\n1,a,,,,\n1,a,1,91,0,true\n1,a,1,0,0,yes\n2,a,1,0,0,true\n"
        )
        #expect(run.rejections == [3, 4, 5, 6, 7])
        #expect(run.lines.count == 1)
    }

    @Test(arguments: [
        (["within": "0"], "--within: must be longer than 0"),
        (["small": "600"], "--large: 500.0 is not above --small, 600.0"),
    ])
    func optionsThatContradictEachOtherAreRefused(given: [String: String], complaint: String) {
        let error = #expect(throws: PluginError.self) { try run(given, "") }
        #expect(error?.description == complaint)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func theDemoHasOneOfEach(seed: UInt64) throws {
        let run = try PluginRun(FraudPlugin(), source: FraudPlugin().makeDemo(seed: seed))
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "card") == ["card-7", "card-23"])
        #expect(run.values(of: "rule") == ["two places", "trial"])
    }

    /// Both rules said again, over the whole list.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func findsWhatASearchOfTheListFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rows: [(time: Int, card: Int, amount: Int, latitude: Int, isFaceToFace: Bool)] = []
        var time = 0
        for _ in 0..<300 {
            time += Int(random.next() % 180_000)
            rows.append(
                (
                    time, Int(random.next() % 3), [1, 4, 50, 700][Int(random.next() % 4)], Int(random.next() % 3) * 10,
                    random.next() % 4 != 0
                )
            )
        }
        var expected: [String] = []
        for (index, row) in rows.enumerated() where row.isFaceToFace {
            let next = rows[(index + 1)...].first {
                $0.card == row.card && $0.isFaceToFace && $0.latitude != row.latitude && $0.time < row.time + 600_000
            }
            if let next { expected.append("\(next.time)/\(next.card)") }
        }
        let csv = rows.map { "\($0.time),\($0.card),\($0.amount),\($0.latitude),0,\($0.isFaceToFace)\n" }.joined()
        let run = try run(["trials": "100"], csv)
        let found = zip(run.times, run.values(of: "card")).map { time, card in "\(time)/\(card)" }
        #expect(found.sorted() == expected.sorted(), "seed \(seed)")
    }

    private static let givenUp = "partial matches were given up, because their card had more than --max-open"

    /// A card in one place all the time, and then far away: the limit for each card bounds what it costs, and what comes
    /// last is still found.
    @Test func aCardThatIsUsedAllTheTimeIsBoundedAndStillFound() throws {
        let count = 3_000
        var rows = (0..<count).map { "\($0),a,20,52.52,13.405,true\n" }.joined()
        rows += "\(count),a,20,40.7,-74,true\n"
        let bounded = try run([:], rows)
        #expect(bounded.lines.count > 80 && bounded.lines.count <= 100)
        #expect(bounded.counts[Self.givenUp] == UInt64(count - bounded.lines.count))
        #expect(try run(["max-open": "10000"], rows).lines.count == count)
    }

    @Test func smallPurchasesAllTheTimeAreBoundedAndATrialIsStillFound() throws {
        let count = 3_000
        let rows = (0..<count).map { "\($0),a,1,,,false\n" }.joined() + "\(count),a,900,,,false\n"
        let run = try run([:], rows)
        #expect(run.values(of: "rule") == ["trial"])
        #expect((run.partialMatches ?? 0) <= 200)
        #expect((run.counts[Self.givenUp] ?? 0) > UInt64(count) / 2)
    }

    /// `--max-cards` is a limit of the cards at a time: those with nothing open any more make room.
    @Test func idleCardsAreForgotten() throws {
        var rows = ""
        for index in 0..<1_000 {
            // Two purchases of each card within ten minutes and far apart, an hour and more after those of the last card.
            let time = index * 3_700_000
            rows += "\(time),card-\(index),10,52.52,13.405,true\n\(time + 1),card-\(index),10,40.7,-74,true\n"
        }
        let run = try run(["max-cards": "3"], rows)
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "card") == (0..<1_000).map { "card-\($0)" })
    }

    /// The hour of a trial is the longest time: a card keeps its place for it.
    @Test func aCardIsNotForgottenBeforeItsTimeIsOver() throws {
        let trial = "0,a,1,,,\n1,a,1,,,\n2,a,1,,,\n"
        let early = try run(["max-cards": "2"], trial + "5,b,7,,,\n3600001,c,7,,,\n3600001,a,900,,,\n")
        #expect(early.rejections == [6])
        #expect(early.values(of: "card").isEmpty)
        let late = try run(["max-cards": "2"], trial + "5,b,7,,,\n3600002,b,7,,,\n3600003,c,7,,,\n3600004,b,7,,,\n")
        #expect(late.rejections.isEmpty)
    }

    /// No purchase of a known card moves the time before the new card comes.
    @Test func aFullTableTakesNewCardsWhenAllTimesAreOver() throws {
        var rows = ""
        for index in 0..<101 { rows += "\(index * 1_000),c\(index),20,52.5,13.4,true\n" }
        rows += "864000000,new,20,52.5,13.4,true\n864060000,new,20,40,-74,true\n"
        let run = try run(["max-cards": "101"], rows)
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "card") == ["new"])
    }

    @Test func aFloodOfCardsIsRejectedAndKnownCardsGoOn() throws {
        var rows = "0,known,10,52.52,13.405,true\n"
        for index in 0..<5_000 { rows += "\(1 + index / 100),flood-\(index),10,0,0,true\n" }
        rows += "1000,known,10,40.7,-74,true\n"
        let run = try run(["max-cards": "100"], rows)
        #expect(run.rejections.count == 4_901)
        #expect(run.reasons.allSatisfy { $0.contains("--max-cards") })
        #expect(run.values(of: "card") == ["known"])
    }
}
