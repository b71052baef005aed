internal import Foundation

/// How many instructions an event takes on each hot path, as it was when somebody said that it may be so.
struct Baseline: Codable {
    /// Counts of other processors and compilers are not compared.
    var architecture: String
    var compiler: String
    var instructionsPerEvent: [String: Double]

    init(architecture: String, compiler: String, instructionsPerEvent: [String: Double]) {
        self.architecture = architecture
        self.compiler = compiler
        self.instructionsPerEvent = instructionsPerEvent
    }

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Baseline.self, from: Data(contentsOf: URL(filePath: path)))
    }

    func write(to path: String) throws {
        var rounded = self
        rounded.instructionsPerEvent = instructionsPerEvent.mapValues { ($0 * 100).rounded() / 100 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(rounded) + Data("\n".utf8)).write(to: URL(filePath: path), options: .atomic)
    }
}
