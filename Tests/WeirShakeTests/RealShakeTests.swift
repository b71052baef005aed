import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirShake

/// The plugin on recordings of gestures, and of people who are not shaking anything, as they are.
@Suite struct RealShakeTests {
    private static let gestures = "accelerometer/microbit_gestures.csv"
    private static let people = "accelerometer/sp_sw_har/s12_01_sp.csv"

    /// The literal rule: on one axis two readings of a recording in a row are more than the threshold apart.
    @Test(.enabled(if: Recordings.has(gestures), Comment(rawValue: Recordings.advice)))
    func findsTheRecordingsInWhichTheRuleHolds() throws {
        let bytes = try Recordings.bytes(Self.gestures)
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map {
            $0.split(separator: ",")
        }
        var last: [Substring: [Double]] = [:]
        var expected: Set<String> = []
        var labels: [String: String] = [:]
        for row in rows {
            let axes = row[4...6].compactMap { Double($0) }
            if let before = last[row[0]], zip(before, axes).contains(where: { abs($0 - $1) > 1 }) {
                expected.insert(String(row[0]))
            }
            last[row[0]] = axes
            labels[String(row[0])] = String(row[1])
        }
        let run = try PluginRun(
            ShakePlugin(),
            ["columns": "time=t_ms", "by": "recording_id"],
            source: ByteSource(bytes)
        )
        let found = Set(run.values(of: "group"))
        #expect(found == expected)
        // Most that are shaken, none that are held still or moved gently; what jerks otherwise is found, too.
        let shaken = labels.filter { $0.value == "Shake" }.keys
        #expect(Double(found.intersection(shaken).count) >= 0.75 * Double(shaken.count))
        let gentle = labels.filter { ["Still", "still", "Being still", "Circle", "circle", "wave"].contains($0.value) }
            .keys
        #expect(found.isDisjoint(with: gentle))
    }

    @Test(.enabled(if: Recordings.has(people), Comment(rawValue: Recordings.advice)))
    func whoSitsAndWalksWithAPhoneShakesNothing() throws {
        let run = try PluginRun(
            ShakePlugin(),
            ["columns": "time=timestamp,x=x_acc,y=y_acc,z=z_acc", "unit": "m/s2"],
            source: ByteSource(Recordings.bytes(Self.people))
        )
        #expect(run.rejections.isEmpty)
        #expect(run.lines.isEmpty)
    }
}
