internal import Foundation

/// What the figures were measured on.
public enum Machine {
    /// How many programs wanted a core on average over the last minute; `nil` where the system does not tell.
    public static var load: Double? {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : nil
    }

    /// What a run was measured on, for people.
    ///
    /// - Parameter load: What ``load`` was before the run.
    /// - Returns: The date; and the load, the machine, the compiler and the revision.
    public static func facts(loadBefore load: Double?) -> (date: String, rest: String) {
        let loads = [load, Machine.load].map { $0.map { String(format: "%.1f", $0) } ?? "unknown" }
        let rest = [
            "load \(loads[0]) before and \(loads[1]) after", description, compiler, revision.map { "revision \($0)" },
        ]
        return (Date().formatted(.iso8601.year().month().day()), rest.compactMap(\.self).joined(separator: "; "))
    }

    /// The processor, its cores, the memory and the system.
    static var description: String {
        let information = ProcessInfo.processInfo
        let memory = (Double(information.physicalMemory) / 1_073_741_824).rounded()
        return [
            processor, "\(information.activeProcessorCount) cores", "\(Int(memory)) GiB",
            information.operatingSystemVersionString,
        ].joined(separator: ", ")
    }

    /// The compiler, as it calls itself; `nil` unless `Benchmarks/run` has told.
    static var compiler: String? { ProcessInfo.processInfo.environment["WEIR_BENCHMARKS_COMPILER"] }

    /// The revision of the sources; `nil` unless `Benchmarks/run` has told.
    static var revision: String? { ProcessInfo.processInfo.environment["WEIR_BENCHMARKS_REVISION"] }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return name.map { $0.trimmingCharacters(in: .whitespaces) } ?? "an unknown processor"
    }
}
