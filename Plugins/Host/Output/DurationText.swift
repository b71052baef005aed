internal import WeirCore
internal import WeirRecords

/// Durations that people choose.
enum DurationText {
    /// The next duration that people would choose, such as `1m` for 59 seconds: not shorter.
    static func roundedUp(_ duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        for unit in Duration.units.reversed() where unit.name != "ns" && unit.name != "d" {
            let isOfSixty = ["s", "m"].contains(unit.name)
            let steps: [Int64] =
                unit.name == "h"
                ? [1, 2, 6, 12] : isOfSixty ? [1, 2, 5, 10, 20, 30] : [1, 2, 5, 10, 20, 50, 100, 200, 500]
            if let step = steps.first(where: { $0 * unit.nanoseconds >= nanoseconds }) { return "\(step)\(unit.name)" }
        }
        let day = Duration.units[0].nanoseconds
        return "\(nanoseconds / day + (nanoseconds % day > 0 ? 1 : 0))d"
    }
}
