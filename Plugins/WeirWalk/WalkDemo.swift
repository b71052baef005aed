internal import WeirCore
internal import WeirRecords

/// Made-up movements to try the plugin with: six minutes in which a person stands, walks, waits, is driven slowly,
/// walks on, runs, and shakes the device while standing.
enum WalkDemo {
    /// A part of the way: until when, how fast, and how many steps a second the pedometer counts.
    private struct Part {
        let end: Int
        let speed: Double
        let stepsPerSecond: Double
    }

    private static let parts = [
        Part(end: 30, speed: 0, stepsPerSecond: 0),
        Part(end: 120, speed: 1.3, stepsPerSecond: 1.8),
        Part(end: 150, speed: 0.05, stepsPerSecond: 0),
        // In a car in a jam: the speed of a walk, but no steps.
        Part(end: 210, speed: 1.4, stepsPerSecond: 0),
        Part(end: 270, speed: 1.2, stepsPerSecond: 1.7),
        Part(end: 330, speed: 3.1, stepsPerSecond: 2.7),
        // Shaking the device counts as steps, but the person stays in place.
        Part(end: 360, speed: 0.02, stepsPerSecond: 3),
    ]

    /// CSV with a location every second and a step count every two.
    ///
    /// The columns are `time` (milliseconds), `steps`, `speed` (m/s) and `accuracy` (m). One location in fifty is far off,
    /// and says so.
    static func source(seed: UInt64) -> any TransportSource {
        var random = SeededGenerator(seed: seed)
        var rows = "time,steps,speed,accuracy\n"
        var steps = 0.0
        for second in 0..<parts[parts.count - 1].end {
            guard let part = parts.first(where: { second < $0.end }) else { break }
            steps += part.stepsPerSecond
            let time = second * 1_000
            if second % 2 == 0 { rows += "\(time),\(Int(steps)),,\n" }
            let isOff = random.nextUnit() < 0.02
            let speed = isOff ? 9.5 : max(0, part.speed + random.nextNoise() * 0.02 * part.speed.squareRoot())
            rows += "\(time + 300),,\(speed.roundedToThousandths),\(isOff ? 65 : 5)\n"
        }
        return ByteSource(Array(rows.utf8))
    }
}

extension Double {
    /// The number with at most three decimals.
    fileprivate var roundedToThousandths: Double { (self * 1000).rounded() / 1000 }
}
