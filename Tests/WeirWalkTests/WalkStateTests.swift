import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirWalk

@Suite struct WalkStateTests {
    /// Updates of people who come and go: steps, cadences, speeds and places, each now and then.
    private func table(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        var text = "time,steps,cadence,speed,latitude,longitude,accuracy,person\n"
        func maybe(_ value: @autoclosure () -> String) -> String {
            Int.random(in: 0..<3, using: &random) == 0 ? "" : value()
        }
        var steps = 0
        for row in 0..<80 {
            steps += Int.random(in: 0...3, using: &random)
            let time = row * 700 + Int.random(in: -500...500, using: &random)
            let number = Int.random(in: 0...30, using: &random)
            text += "\(time),\(maybe("\(steps)")),\(maybe("\(number)")),\(maybe("\(Double(number) / 10)")),"
            text += "47.\(1000 + row),8.\(1000 + number / 10),\(number),p\(number % 4 + row / 30)\n"
        }
        return text
    }

    private static let options: [[String: String]] = [
        ["emit": "all"], ["steps": "ignored", "speed-window": "5s"],
        ["by": "person", "max-groups": "20", "emit": "all"],
        ["by": "person", "steps": "ignored", "max-groups": "3", "forget-after": "2s", "emit": "all"],
    ]

    @Test(arguments: 1...4 as ClosedRange<UInt64>, options.indices)
    func aRunGoesOnBehindEachRecord(seed: UInt64, variant: Int) throws {
        let difference = try RestoreRun.difference(
            of: WalkPlugin(),
            Self.options[variant],
            format: CSVFormat(),
            table(seed: seed)
        )
        #expect(difference == nil, "seed \(seed), variant \(variant)")
    }
}
