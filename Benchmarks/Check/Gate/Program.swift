internal import Foundation

/// Why the gate cannot tell.
struct GateError: Error, CustomStringConvertible {
    let description: String
}

/// Running other programs.
enum Program {
    struct Output {
        let status: Int32
        let text: String
        let messages: String
    }

    /// Runs a program that is found along `PATH` to its end.
    static func run(_ arguments: [String]) throws -> Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-gate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files rather than pipes, which would block a program that writes more than they hold.
        let files = try ["output", "messages"].map { name in
            let url = folder.appending(path: name)
            try Data().write(to: url)
            return (url: url, handle: try FileHandle(forWritingTo: url))
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        // Dictionaries hash the same in each run, so that their collisions do not look like a change.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        (process.standardOutput, process.standardError) = (files[0].handle, files[1].handle)
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0.url), as: UTF8.self) }
        return Output(status: process.terminationStatus, text: texts[0], messages: texts[1])
    }
}
