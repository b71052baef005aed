import Foundation
import Testing

/// Python as a reference for times.
enum Python {
    static let advice: Comment = "needs python3 with zoneinfo, and the system's time zones"

    /// Whether there is one that knows the system's time zones.
    static let isThere = (try? lines(of: "import zoneinfo; print(zoneinfo.ZoneInfo('Europe/Amsterdam').key)")) != nil

    struct Failure: Error {
        let status: Int32
    }

    /// The lines that a script prints.
    static func lines(of script: String, _ arguments: [String] = []) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}
