internal import Foundation

/// How many instructions an event takes on each hot path and by hand, as accepted by the last `--write`.
struct Baseline: Codable {
    /// Counts of other processors and compilers are not compared.
    var architecture: String
    var compiler: String
    var hotPaths: [String: Cost]

    /// Instructions per event.
    struct Cost: Codable {
        var instructions: Double

        /// By the loop that is written for this work alone.
        var byHand: Double

        var ratio: Double { instructions / byHand }
    }

    init(architecture: String, compiler: String, hotPaths: [String: Cost]) {
        self.architecture = architecture
        self.compiler = compiler
        self.hotPaths = hotPaths
    }

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Baseline.self, from: Data(contentsOf: URL(filePath: path)))
    }

    func write(to path: String) throws {
        var rounded = self
        rounded.hotPaths = hotPaths.mapValues { cost in
            Cost(instructions: Self.rounded(cost.instructions), byHand: Self.rounded(cost.byHand))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(rounded) + Data("\n".utf8)).write(to: URL(filePath: path), options: .atomic)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
