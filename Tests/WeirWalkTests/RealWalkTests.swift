import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirWalk

/// The plugin on recordings of a running watch and of location trackers, as they are.
@Suite struct RealWalkTests {
    private static let garmin = [
        "columns": "time=Time,speed=Speed,cadence=RunCadence,latitude=LatitudeDegrees,longitude=LongitudeDegrees",
        "emit": "all",
    ]

    /// The share of the updates that are judged as walking.
    private func shareOfWalking(_ path: String, _ options: [String: String]) throws -> Double {
        let run = try PluginRun(WalkPlugin(), options, source: ByteSource(Recordings.bytes(path)))
        let walking = run.values(of: "walking")
        #expect(!walking.isEmpty)
        return Double(walking.count { $0 == "true" }) / Double(walking.count)
    }

    @Test(.enabled(if: Recordings.has("walk/garmin_10101108916.csv"), Comment(rawValue: Recordings.advice)))
    func aRecordedWalkIsOne() throws {
        // Readings come every 4 to 13 seconds: the interval must span one.
        let options = Self.garmin.merging(["interval": "15s"]) { first, _ in first }
        #expect(try shareOfWalking("walk/garmin_10101108916.csv", options) > 0.8)
    }

    @Test(
        .enabled(
            if: Recordings.has("walk/garmin_17075053124_lorimer_avinger.csv"),
            Comment(rawValue: Recordings.advice)
        )
    )
    func aRecordedRunIsNoWalk() throws {
        #expect(try shareOfWalking("walk/garmin_17075053124_lorimer_avinger.csv", Self.garmin) < 0.02)
    }
}
