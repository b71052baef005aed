internal import Foundation

/// What the figures were measured on.
public enum Machine {
    /// How many programs wanted a core on average over the last minute; `nil` where the system does not tell.
    public static var load: Double? {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : nil
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
