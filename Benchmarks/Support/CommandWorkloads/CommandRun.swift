internal import CBench
internal import Comparing
internal import Foundation

/// How a program ran, and what it wrote.
struct CommandRun: Sendable {
    /// What else a run tells besides how long it took.
    enum Aspect: Sendable {
        case processorTime
    }

    let wallNanoseconds: Double
    let processorNanoseconds: Double
    let peakMebibytes: Double
    let output: String

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - files: Where the output goes meanwhile.
    ///   - watchingMemory: Whether to look at its memory, which takes time of the processors.
    /// - Throws: ``MeasurementFailure`` when it cannot be run or does not succeed.
    init(_ arguments: [String], files: InputFiles, watchingMemory: Bool = false) throws {
        let (outputPath, messagePath) = (files.path("output"), files.path("messages"))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        let run = cbench_run(pointers, outputPath, messagePath, watchingMemory)
        guard run.status == 0 else {
            let messages = (try? String(contentsOfFile: messagePath, encoding: .utf8)) ?? ""
            throw MeasurementFailure("'\(arguments.joined(separator: " "))' failed: \(messages)")
        }
        wallNanoseconds = Double(run.wall_nanoseconds)
        processorNanoseconds = Double(run.processor_nanoseconds)
        peakMebibytes = Double(run.peak_bytes) / 1_048_576
        output = try String(contentsOfFile: outputPath, encoding: .utf8)
    }
}
