internal import WeirCore
internal import WeirRecords

/// Made-up readings to try the plugin with: ten seconds of walking, then ten in which the device is shaken three
/// times, 50 readings a second.
enum ShakeDemo {
    static let rate = 50
    static let seconds = 20

    /// The bursts of shaking, in seconds from the start.
    static let shakes = [11.0..<12.2, 14.0..<15.5, 17.5..<18.5]

    /// CSV with the columns `time` (milliseconds), `x`, `y` and `z` (in g).
    static func source(seed: UInt64) -> any TransportSource {
        var random = SeededGenerator(seed: seed)
        var rows = "time,x,y,z\n"
        for index in 0..<rate * seconds {
            let time = Double(index) / Double(rate)
            // The device lies almost flat: gravity pulls along z.
            var (x, y, z) = (0.05, 0.1, 1.0)
            if time < 10 {
                // Steps twice a second bounce the device up and down; the other axes sway at half that rate.
                z += 0.3 * wave(time * 2)
                x += 0.15 * wave(time)
                y += 0.1 * wave(time + 0.3)
            } else if shakes.contains(where: { $0.contains(time) }) {
                x += 2.4 * wave(time * 4.5)
                y += 0.8 * wave(time * 4.5 + 0.2)
            }
            let values = [x, y, z].map { milli($0 + random.nextNoise() * 0.04) }
            rows += "\(index * 1000 / rate),\(values.joined(separator: ","))\n"
        }
        return ByteSource(Array(rows.utf8))
    }

    /// A wave between -1 and 1 with period 1, made of parabolas: close to a sine, without the mathematics library.
    static func wave(_ phase: Double) -> Double {
        let position = phase - phase.rounded(.down)
        return position < 0.5 ? 16 * position * (0.5 - position) : -16 * (position - 0.5) * (1 - position)
    }

    /// The value with three decimals.
    private static func milli(_ value: Double) -> String {
        let thousandths = Int((value * 1000).rounded())
        let digits = String(thousandths.magnitude % 1000)
        let padding = String(repeating: "0", count: 3 - digits.count)
        return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(padding)\(digits)"
    }
}
