import TestPlugins
import Testing
import WeirCore
import WeirFormats
import WeirFraud

@Suite struct FraudStateTests {
    /// Purchases with cards that come and go, some of which go back in time or cannot be read.
    private func table(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        var text = "time,card,amount,latitude,longitude,face-to-face\n"
        for row in 0..<70 {
            let time = row * 40 + Int.random(in: -5...39, using: &random)
            let card = "c\(Int.random(in: 0..<3, using: &random) + row / 25)"
            let amount =
                Int.random(in: 0..<20, using: &random) == 0 ? "much" : "\(Int.random(in: 0..<9, using: &random))"
            let isShop = Bool.random(using: &random)
            let place = isShop ? "\(Int.random(in: 0..<9, using: &random) * 10),0,true" : ",,false"
            text += "\(time),\(card),\(amount),\(place)\n"
        }
        return text
    }

    private static let options: [[String: String]] = [
        ["small": "3", "large": "6", "trials": "2"],
        ["small": "4", "large": "5", "trials": "1", "within": "500ms", "trial-time": "300ms", "max-cards": "3"],
        ["small": "3", "large": "6", "trials": "2", "within": "1s", "max-open": "2"],
    ]

    @Test(arguments: 1...4 as ClosedRange<UInt64>, options.indices)
    func aRunGoesOnBehindEachRecord(seed: UInt64, variant: Int) throws {
        let difference = try RestoreRun.difference(
            of: FraudPlugin(),
            Self.options[variant],
            format: CSVFormat(),
            table(seed: seed)
        )
        #expect(difference == nil, "seed \(seed), variant \(variant)")
    }
}
