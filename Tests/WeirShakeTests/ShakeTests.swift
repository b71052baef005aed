import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirShake

@Suite struct ShakeTests {
    @Test func reportsTwoReadingsThatDifferByMoreThanTheThreshold() throws {
        let run = try Run(["columns": "time=t"], csv: "t,x,y,z\n0,0,0,1\n20,0.5,1.25,1\n40,0.5,0.25,1\n")
        #expect(
            run.lines == [
                #"{"time":20,"axis":"y","difference":1.25,"unit":"g","#
                    + #""previous":{"time":0,"x":0.0,"y":0.0,"z":1.0},"current":{"time":20,"x":0.5,"y":1.25,"z":1.0}}"#
            ]
        )
    }

    @Test func aDifferenceOfExactlyTheThresholdIsNone() throws {
        #expect(try Run([:], csv: "time,x,y,z\n0,0,0,0\n20,1,-1,1\n").lines.isEmpty)
    }

    @Test(arguments: [("g", "1.5"), ("mg", "1500"), ("m/s2", "14.7")])
    func theThresholdIsInGWhateverTheUnitOfTheReadings(unit: String, jump: String) throws {
        let csv = "time,x,y,z\n0,0,0,0\n20,\(jump),0,0\n"
        #expect(try Run(["unit": unit, "threshold": "1.49"], csv: csv).lines.count == 1)
        #expect(try Run(["unit": unit, "threshold": "1.51"], csv: csv).lines.isEmpty)
    }

    @Test func reportsOneShakePerBurstUnlessToldOtherwise() throws {
        var csv = "time,x,y,z\n"
        // Jerks at 20, 40, ..., 200 ms, and again from 720 ms on: 520 ms of quiet lie between.
        for time in stride(from: 0, through: 200, by: 20) { csv += "\(time),\(time / 20 % 2 * 2),0,0\n" }
        csv += "700,0,0,0\n720,2,0,0\n740,0,0,0\n"
        #expect(try Run([:], csv: csv).times == ["20", "720"])
        #expect(try Run(["quiet-period": "520ms"], csv: csv).times == ["20"])
        #expect(try Run(["quiet-period": "0"], csv: csv).lines.count == 12)
    }

    @Test func timesMayBeAnyDistanceApart() throws {
        let csv = "time,x,y,z\n\(Int64.min),0,0,0\n\(Int64.min),9,0,0\n\(Int64.max),0,0,0\n"
        #expect(try Run(["time-unit": "ns"], csv: csv).times == ["\(Int64.min)", "\(Int64.max)"])
    }

    @Test func groupsOfRefusedReadingsTakeUpNoRoom() throws {
        let csv = "id,time,x,y,z\na,0,oops,0,0\nb,20,5,0,0\nb,40,0,0,0\n"
        let run = try Run(["by": "id", "max-groups": "1"], csv: csv)
        #expect(run.rejections == [2])
        #expect(run.times == ["40"])
    }

    @Test func keepsReadingsOfDifferentGroupsApart() throws {
        let csv = "id,time,x,y,z\na,0,0,0,0\nb,20,5,0,0\na,20,0,0,0\nb,40,0,0,0\n"
        let run = try Run(["by": "id", "quiet-period": "0"], csv: csv)
        #expect(run.lines.count == 1)
        #expect(run.lines[0].hasPrefix(#"{"time":40,"group":"b","axis":"x","difference":5.0"#))
        #expect(try Run(["quiet-period": "0"], csv: csv).lines.count == 2)
    }

    @Test func groupsBeyondTheLimitAreRejected() throws {
        let run = try Run(
            ["by": "id", "max-groups": "1"],
            csv: "id,time,x,y,z\na,0,0,0,0\nb,0,0,0,0\na,20,9,0,0\n"
        )
        #expect(run.rejections == [3])
        #expect(run.reasons[0].contains("--max-groups"))
        #expect(run.lines.count == 1)
    }

    @Test func rejectsWhatIsNoReadingAndGoesOn() throws {
        let csv = "time,x,y,z\n0,0,0,0\n20,nan,0,0\n40,inf,0,0\n60,x,0,0\n80,,0,0\n70,0,0\n60,5,0,0\n"
        let run = try Run([:], csv: csv)
        #expect(run.rejections == [3, 4, 5, 6, 7])
        #expect(run.times == ["60"])
    }

    @Test func rejectsReadingsThatGoBackInTimeWithinTheirGroup() throws {
        let csv = "id,time,x,y,z\na,100,0,0,0\nb,50,0,0,0\na,99,9,0,0\na,100,0.5,0,0\nb,60,0,0,0\n"
        let run = try Run(["by": "id"], csv: csv)
        #expect(run.rejections == [4])
        #expect(run.reasons[0].contains("goes back"))
        #expect(run.lines.isEmpty)
    }

    @Test func readsJSONLinesAndTimesAsText() throws {
        let run = try Run(
            [:],
            jsonLines: """
                {"time":"2024-01-01T00:00:00Z","x":0,"y":0,"z":1}
                {"time":"2024-01-01T00:00:00.020Z","x":0,"y":2.5,"z":1,"note":{"a":[1]}}

                """
        )
        #expect(run.times == ["2024-01-01T00:00:00.02Z"])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theDemoShakesThreeTimes(seed: UInt64) throws {
        let run = try Run([:], source: ShakePlugin().makeDemo(seed: seed))
        let seconds = run.times.compactMap { Double($0) }.map { $0 / 1000 }
        #expect(seconds.count == 3)
        for (time, start) in zip(seconds, [11.0, 14.0, 17.5]) { #expect((start...start + 0.3).contains(time)) }
        #expect(run.rejections.isEmpty)
    }

    @Test func theDemoIsAFunctionOfItsSeed() throws {
        #expect(
            try Run([:], source: ShakePlugin().makeDemo(seed: 5)).lines
                == Run([:], source: ShakePlugin().makeDemo(seed: 5)).lines
        )
        #expect(
            try Run([:], source: ShakePlugin().makeDemo(seed: 5)).lines
                != Run([:], source: ShakePlugin().makeDemo(seed: 6)).lines
        )
    }

    /// A batch of records is decoded before any of its events is dealt with.
    @Test func aBatchMayHaveMoreGroupsThanTheLimit() throws {
        var csv = "time,x,y,z,d\n"
        for index in 0..<5_000 { csv += "\(index * 10_000),0,0,0,c\(index)\n" }
        let run = try Run(["by": "d", "max-groups": "361", "forget-after": "1h"], csv: csv)
        #expect(run.rejections.isEmpty)
    }

    /// The limit is one of the groups at a time; one that has the place of another begins anew.
    @Test func idleGroupsMakeRoom() throws {
        var csv = "id,time,x,y,z\n"
        let count = 30_000
        for index in 0..<count {
            csv += "g\(index),\(index * 1_000),\(index % 2 * 9),0,0\n"
            if index % 1_000 == 0 { csv += "g\(index),\(index * 1_000 + 20),\(index % 2 * 9 + 5),0,0\n" }
        }
        let given = ["by": "id", "max-groups": "8000", "forget-after": "1s"]
        let run = try Run(given, csv: csv)
        #expect(run.rejections.isEmpty)
        #expect(run.values(of: "group") == stride(from: 0, to: count, by: 1_000).map { "g\($0)" })
        // All are of interest for longer than the recording lasts.
        #expect(try Run(given.merging(["forget-after": "1d"]) { $1 }, csv: csv).rejections.count == count - 8_000 + 22)
    }
}
