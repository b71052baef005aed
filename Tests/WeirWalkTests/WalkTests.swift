import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirWalk

@Suite struct WalkTests {
    private func run(_ given: [String: String] = [:], _ csv: String) throws -> PluginRun {
        try PluginRun(WalkPlugin(), given.merging(["time-form": "number"]) { first, _ in first }, csv: csv)
    }

    @Test func walkingNeedsRisingStepsAndTheSpeedOfAWalk() throws {
        let run = try run([:], "time,steps,speed\n0,10,\n1000,12,\n2000,,1.2\n3000,14,\n4000,,2.5\n")
        #expect(
            run.lines == [
                #"{"time":2000,"walking":true,"reason":"walking","steps":12.0,"speed":1.2,"interval":1.0}"#,
                #"{"time":4000,"walking":false,"reason":"fast","steps":14.0,"speed":2.5,"interval":1.0}"#,
            ]
        )
    }

    @Test func timesMayBeAnyDistanceApart() throws {
        let (first, last) = (Int64.min, Int64.max)
        let csv = """
            time,steps,cadence,speed,latitude,longitude
            \(first),1,60,1,,
            \(first + 1),2,60,1,47,8
            \(last),3,60,,48,8
            \(last),4,60,1,48,8

            """
        let run = try run(["time-unit": "ns", "emit": "all"], csv)
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "reason") == ["no steps", "walking", "walking"])
    }

    @Test func groupsOfRefusedRecordsTakeUpNoRoom() throws {
        let csv = "time,speed,by\n0,x,a\n0,1,b\n1,1,b\n"
        let run = try run(["by": "by", "max-groups": "1", "steps": "ignored"], csv)
        #expect(run.rejections == [2])
        #expect(run.lines.count == 1)
    }

    @Test func shakingTheDeviceAloneIsNotWalking() throws {
        // The steps rise all the time, nobody moves.
        var csv = "time,steps,speed\n"
        for second in 0..<60 { csv += "\(second * 1000),\(second * 3),0.0\(second % 10)\n" }
        #expect(try run([:], csv).values(of: "walking") == ["false"])
        // Without any location there is nothing to judge.
        #expect(try run([:], "time,steps\n0,1\n1000,2\n2000,3\n").lines.isEmpty)
    }

    @Test func drivingSlowlyAloneIsNotWalking() throws {
        var csv = "time,steps,speed\n"
        for second in 0..<60 { csv += "\(second * 1000),100,1.2\n" }
        #expect(try run([:], csv).values(of: "reason") == ["no steps"])
    }

    @Test(arguments: [("0.2", "slow"), ("0.21", "walking"), ("1.79", "walking"), ("1.8", "fast")])
    func theLimitsThemselvesAreNoWalk(speed: String, reason: String) throws {
        #expect(try run([:], "time,steps,speed\n0,1,\n1,2,\(speed)\n").values(of: "reason") == [reason])
    }

    @Test func theLimitsAreOptions() throws {
        let csv = "time,steps,speed\n0,1,\n1,2,3\n"
        #expect(try run(["slowest": "2", "fastest": "4"], csv).values(of: "walking") == ["true"])
    }

    @Test(arguments: [(5000, "walking"), (5001, "no steps")])
    func aRiseCountsForTheInterval(time: Int, reason: String) throws {
        #expect(try run([:], "time,steps,speed\n-1000,1,\n0,2,\n\(time),,1\n").values(of: "reason") == [reason])
    }

    @Test(arguments: [(5000, ["no steps", "walking"]), (5001, ["no steps"])])
    func aLocationCountsForTheIntervalToo(time: Int, reasons: [String]) throws {
        #expect(try run([:], "time,steps,speed\n-1000,1,\n0,,1\n\(time),2,\n").values(of: "reason") == reasons)
    }

    @Test func stepsThatStopEndTheWalk() throws {
        var csv = "time,steps,speed\n0,1,1\n1000,2,1\n"
        for second in 2..<20 { csv += "\(second * 1000),2,1\n" }
        let run = try run([:], csv)
        #expect(run.values(of: "reason") == ["no steps", "walking", "no steps"])
        #expect(run.times == ["0", "1000", "7000"])
    }

    @Test func aStepCountThatBeginsAnewIsNoRise() throws {
        #expect(try run([:], "time,steps,speed\n0,500,\n1000,3,\n2000,,1\n").values(of: "reason") == ["no steps"])
    }

    @Test func reportsEveryReadingWhenAsked() throws {
        let csv = "time,steps,speed\n0,1,1\n1000,2,1\n2000,3,1\n"
        #expect(try run(["emit": "all"], csv).times == ["0", "1000", "2000"])
        #expect(try run([:], csv).times == ["0", "1000"])
    }

    @Test(arguments: [("19.9", 1), ("20", 0), ("-1", 0)])
    func discardsAndCountsLocationsThatAreNotAccurate(accuracy: String, gaits: Int) throws {
        let run = try run([:], "time,steps,speed,accuracy\n0,1,,\n1,2,1,\(accuracy)\n")
        #expect(run.lines.count == gaits)
        #expect(run.counts["locations discarded because they were not accurate enough"] == UInt64(1 - gaits))
    }

    @Test func derivesTheSpeedFromPositions() throws {
        // A degree of latitude is 111.195 km on the sphere: 0.00001 degrees a second are 1.11 m/s.
        var csv = "time,latitude,longitude\n"
        for second in 0..<90 { csv += "\(second * 1000),\(52 + Double(second) * 0.00001),13.4\n" }
        let run = try run(["steps": "ignored"], csv)
        #expect(run.values(of: "walking") == ["true"])
        #expect(run.times == ["30000"])
        let speed = try #require(run.values(of: "speed").first.flatMap(Double.init))
        #expect(abs(speed - 1.11195) < 0.0001)
    }

    @Test func positionsThatScatterAreNoWalk() throws {
        var csv = "time,latitude,longitude\n"
        for second in 0..<120 { csv += "\(second * 1000),\(second % 2 == 0 ? 52 : 52.00004),13.4\n" }
        #expect(try run(["steps": "ignored"], csv).values(of: "reason") == ["slow"])
    }

    @Test func derivesStepsFromTheStridesOfOneFoot() throws {
        let csv = "time,cadence,speed\n0,60,1\n4000,60,1\n8000,45,1\n"
        #expect(try run(["emit": "all"], csv).values(of: "steps") == ["8.0", "14.0"])
        #expect(try run(["emit": "all", "cadence": "steps"], csv).values(of: "steps") == ["4.0", "7.0"])
    }

    @Test func acrossALongGapACadenceMakesNoSteps() throws {
        let csv = "time,cadence,speed\n0,60,1\n60001,60,1\n"
        #expect(try run([:], csv).values(of: "reason") == ["no steps"])
    }

    @Test func tellsPeopleApart() throws {
        let csv = "who,time,steps,speed\na,0,1,\nb,0,9,\na,1000,2,\nb,1000,,1\na,1500,,1\n"
        let run = try run(["by": "who"], csv)
        #expect(run.values(of: "group") == ["b", "a"])
        #expect(run.values(of: "walking") == ["false", "true"])
    }

    @Test func rejectsWhatCannotBeAndGoesOn() throws {
        let run = try run(
            [:],
            """
            time,steps,speed,latitude,longitude
            0,1,,,
            x,2,,,
            1000,-2,,,
            1000,2,nan,,
            1000,2,-1,,
            1000,2,1,95,0
            1000,2,1,0,181
            -5,2,1,,
            1000,2,1,,

            """
        )
        #expect(run.rejections == [3, 4, 5, 6, 7, 8, 9])
        #expect(run.reasons[4].contains("'latitude' is no place on the Earth"))
        #expect(run.reasons[5].contains("'longitude' is no place on the Earth"))
        #expect(run.values(of: "walking") == ["true"])
    }

    @Test func optionsThatContradictEachOtherAreRefused() {
        let problem = #expect(throws: PluginError.self) {
            try PluginRun(WalkPlugin(), ["slowest": "2"], csv: "")
        }
        #expect(problem?.description == "--fastest: 1.8 m/s is not above --slowest, 2.0 m/s")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func theDemoWalksTwice(seed: UInt64) throws {
        let run = try PluginRun(WalkPlugin(), ["time-form": "number"], source: WalkPlugin().makeDemo(seed: seed))
        #expect(run.values(of: "walking") == ["false", "true", "false", "true", "false"])
        for (time, expected) in zip(run.times.compactMap(Double.init), [0.3, 30.3, 120.3, 210, 270.3]) {
            #expect((expected * 1000...expected * 1000 + 5000).contains(time), "\(time)")
        }
        #expect(run.rejections.isEmpty)
    }

    @Test func writesTimesAsText() throws {
        let run = try PluginRun(WalkPlugin(), csv: "time,steps,speed\n2024-01-01T00:00:00Z,1,1\n")
        #expect(run.times == ["2024-01-01T00:00:00Z"])
    }

    /// A batch of records is decoded before any of its events is dealt with.
    @Test func aBatchMayHaveMoreGroupsThanTheLimit() throws {
        var csv = "time,speed,d\n"
        for index in 0..<5_000 { csv += "\(index * 10_000),1,c\(index)\n" }
        let run = try run(["by": "d", "max-groups": "361", "steps": "ignored", "forget-after": "1h"], csv)
        #expect(run.rejections.isEmpty)
    }

    /// The limit is one of the groups at a time; one that has the place of another begins anew.
    @Test func idleGroupsMakeRoom() throws {
        var csv = "time,speed,by\n"
        let count = 30_000
        for index in 0..<count { csv += "\(index * 61_000),1,g\(index)\n" }
        let run = try run(["by": "by", "max-groups": "8000", "steps": "ignored", "forget-after": "1s"], csv)
        #expect(run.rejections.isEmpty)
        // Each is a change, since nothing is known of any before.
        #expect(run.lines.count == count)
        #expect(run.values(of: "group").last == "g\(count - 1)")
    }
}
