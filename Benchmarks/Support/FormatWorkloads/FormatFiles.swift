internal import CBench
internal import Comparing
internal import Foundation
internal import Synchronization

/// The files that are read, in a temporary folder.
final class FormatFiles: Sendable {
    private struct State: Sendable {
        var folder: URL?
        var files: [String: EventFile] = [:]
    }

    private let state = Mutex(State())

    /// Writes a file.
    func write(_ file: EventFile, as name: String) throws {
        let folder = try state.withLock { state in
            if let folder = state.folder { return folder }
            let folder = FileManager.default.temporaryDirectory.appending(path: "weir-formats-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            state.folder = folder
            return folder
        }
        try Data(file.bytes).write(to: folder.appending(path: name))
        state.withLock { $0.files[name] = file }
    }

    /// Removes the files.
    func remove() {
        state.withLock { state in
            if let folder = state.folder { try? FileManager.default.removeItem(at: folder) }
            state = State()
        }
    }

    /// A file and where it is.
    func file(_ name: String) -> (file: EventFile, path: String) {
        state.withLock { state in
            guard let file = state.files[name], let folder = state.folder else {
                preconditionFailure("there is no file '\(name)'; set the suite up first")
            }
            return (file, folder.appending(path: name).path)
        }
    }

    /// Runs a program to its end and returns its cost per event.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments; the path of the file comes after them.
    ///   - name: The file.
    ///   - check: Whether the output is right.
    /// - Returns: Nanoseconds of processor time per event.
    /// - Throws: ``MeasurementFailure`` when it fails or is wrong.
    func run(_ arguments: [String], on name: String, check: (String, EventFile) -> Bool) throws -> Double {
        let (file, path) = file(name)
        let output = path + ".output"
        var pointers: [UnsafeMutablePointer<CChar>?] = (arguments + [path]).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        let run = cbench_run(pointers, output, path + ".messages", false)
        guard run.status == 0, check(try String(contentsOfFile: output, encoding: .utf8), file) else {
            throw MeasurementFailure("'\(arguments.joined(separator: " "))' failed, or counted wrong")
        }
        return Double(run.processor_nanoseconds) / Double(file.eventCount)
    }

    /// Whether there is a program of a name.
    static func isInstalled(_ program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let isThere = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        if !isThere {
            FileHandle.standardError.write(Data("formats: there is no \(program), so it is left out\n".utf8))
        }
        return isThere
    }
}
