internal import Foundation

/// Compares the resident memory of long streams with that of short ones.
enum MemoryGrowth {
    /// The memory after this many events must be that after the first count, within the tolerance.
    static let counts = (short: 1_000_000, long: 100_000_000)
    static let tolerance = 0.05

    /// Prints a line for each work.
    ///
    /// - Returns: A line for each that grows.
    static func check(_ hotPaths: String) throws -> [String] {
        let names = try Program.run([hotPaths, "memory"]).text.split(separator: "\n").map(String.init)
        var failures: [String] = []
        for name in names {
            let run = try Program.run([hotPaths, "memory", name, "\(counts.short)", "\(counts.long)"])
            guard run.status == 0 else { throw GateError(description: "'\(name)' failed: \(run.messages)") }
            let sizes = run.text.split(separator: " ").compactMap {
                Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            guard sizes.count == 2 else {
                print("\(name): the system does not tell the resident memory: skipped")
                continue
            }
            let change = String(format: "%+.1f %%", (sizes[1] / sizes[0] - 1) * 100)
            let text = "\(name): \(Int(sizes[0])) KiB after 10⁶ events, \(Int(sizes[1])) KiB after 10⁸ (\(change))"
            print(text)
            if abs(sizes[1] / sizes[0] - 1) > tolerance { failures.append("the memory changes: \(text)") }
        }
        return failures
    }
}
