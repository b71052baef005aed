internal import Foundation

/// A program that is run to its end.
enum ChildProcess {
    struct Output {
        let text: Data
        /// How it ended, for people.
        let ending: String
    }

    /// Runs a program and reads what it prints; its messages go where ours go.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Its arguments.
    ///   - environment: What is added to ours.
    ///   - time: After this it is stopped.
    /// - Returns: What it printed and how it ended.
    /// - Throws: When it cannot be started.
    static func output(
        of program: String,
        _ arguments: [String],
        _ environment: [String: String],
        atMost time: Duration
    ) throws -> Output {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let watch = DispatchWorkItem { if process.isRunning { process.terminate() } }
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1), execute: watch)
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watch.cancel()
        let ending =
            switch process.terminationReason {
            case .uncaughtSignal: "it was ended by signal \(process.terminationStatus)"
            default: "it ended with status \(process.terminationStatus) and no rows"
            }
        return Output(text: text, ending: ending)
    }
}
