import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirShake

@Suite struct ShakeStateTests {
    /// Readings of devices that come and go, some of which go back in time or cannot be read.
    private func table(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        var text = "time,x,y,z,device\n"
        for row in 0..<80 {
            let time = row * 40 + Int.random(in: -30...30, using: &random)
            let axes = (0..<3).map { _ in Int.random(in: 0..<4, using: &random) == 0 ? "2.5" : "0" }
            let x = Int.random(in: 0..<30, using: &random) == 0 ? "?" : axes[0]
            text += "\(time),\(x),\(axes[1]),\(axes[2]),d\(Int.random(in: 0..<5, using: &random) + row / 20)\n"
        }
        return text
    }

    private static let options: [[String: String]] = [
        [:], ["quiet-period": "0"], ["by": "device", "quiet-period": "0"],
        ["by": "device", "max-groups": "3", "forget-after": "200ms", "quiet-period": "100ms"],
    ]

    @Test(arguments: 1...4 as ClosedRange<UInt64>, options.indices)
    func aRunGoesOnBehindEachRecord(seed: UInt64, variant: Int) throws {
        let difference = try RestoreRun.difference(
            of: ShakePlugin(),
            Self.options[variant],
            format: CSVFormat(),
            table(seed: seed)
        )
        #expect(difference == nil, "seed \(seed), variant \(variant)")
    }
}
