import Foundation

/// What Python makes of documents.
enum Python {
    /// Runs a script, which prints one line for each document.
    ///
    /// - Parameters:
    ///   - script: It reads a file whose name is its first argument, with the bytes of a document in hexadecimal digits on each
    ///     line.
    ///   - documents: The documents.
    /// - Returns: The lines; `nil` without Python.
    /// - Throws: When the documents cannot be handed over.
    static func lines(_ script: String, about documents: [[UInt8]]) throws -> [String]? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "weir-python-\(UInt64.random(in: 0 ... .max))"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(documents.map { hex($0) + "\n" }.joined().utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, file.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Bytes in hexadecimal digits.
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
