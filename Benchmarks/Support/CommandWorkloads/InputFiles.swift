internal import Foundation
internal import Synchronization

/// The files that the commands read, in a temporary folder.
final class InputFiles: Sendable {
    /// A file and what is known about it.
    struct Input: Sendable {
        let path: String
        let rowCount: Int
        let byteCount: Int
        let shakeCount: Int
    }

    private struct State: Sendable {
        var folder: URL?
        var inputs: [Int: Input] = [:]
        var tables: Set<String> = []
        var expectedOutput: String?
        var unread: [CommandRun.Aspect: CommandRun] = [:]
    }

    private let state = Mutex(State())

    /// Writes a file for each of the numbers of rows.
    func make(rowCounts: [Int]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        state.withLock { $0.folder = folder }
        for rowCount in rowCounts {
            let url = folder.appending(path: "\(rowCount).csv")
            try Data().write(to: url)
            let file = try FileHandle(forWritingTo: url)
            let csv = try GeneratedCSV(rowCount: rowCount) { try file.write(contentsOf: $0) }
            try file.close()
            let input = Input(
                path: url.path,
                rowCount: rowCount,
                byteCount: csv.byteCount,
                shakeCount: csv.shakeCount
            )
            state.withLock { $0.inputs[rowCount] = input }
        }
    }

    /// The file of a plugin's table, which is written when it is asked for first.
    func table(_ table: PluginTable) throws -> String {
        let place = path(table.rawValue + ".csv")
        let isNew = state.withLock { $0.tables.insert(place).inserted }
        if isNew { try Data(table.csv(rowCount: PluginTable.rowCount)).write(to: URL(filePath: place)) }
        return place
    }

    /// A file with an event that begins a sequence for each key, and others behind them; written when it is asked for first.
    func openSequences(keyCount: Int, furtherCount: Int) throws -> String {
        let place = path("sequences.csv")
        guard state.withLock({ $0.tables.insert(place).inserted }) else { return place }
        try Data("time,type,user\n".utf8).write(to: URL(filePath: place))
        let file = try FileHandle(forWritingTo: URL(filePath: place))
        try file.seekToEnd()
        for first in stride(from: 0, to: keyCount + furtherCount, by: 100_000) {
            let rows = (first..<first + 100_000).map { $0 < keyCount ? "\($0),a,u\($0)\n" : "\($0),c,u\($0 % 1000)\n" }
            try file.write(contentsOf: Data(rows.joined().utf8))
        }
        try file.close()
        return place
    }

    /// A file of ten lines in which a device is shaken, written anew.
    func tenLines() throws -> String {
        let place = path("ten.csv")
        let rows = (0..<9).map { "\($0 * 20),\($0 == 8 ? 2 : 0),0,1\n" }.joined()
        try Data("time,x,y,z\n\(rows)".utf8).write(to: URL(filePath: place))
        return place
    }

    /// Removes the files.
    func remove() {
        state.withLock { state in
            if let folder = state.folder { try? FileManager.default.removeItem(at: folder) }
            state = State()
        }
    }

    /// The file with a number of rows.
    func input(rowCount: Int) -> Input {
        guard let input = state.withLock({ $0.inputs[rowCount] }) else {
            preconditionFailure("there is no file of \(rowCount) rows; set the suite up first")
        }
        return input
    }

    /// What a command wrote when it ran first.
    func expectedOutput(_ make: () throws -> String) throws -> String {
        if let known = state.withLock({ $0.expectedOutput }) { return known }
        let made = try make()
        state.withLock { $0.expectedOutput = made }
        return made
    }

    /// Keeps a run for the workloads that report its other aspects.
    func keep(_ run: CommandRun, for aspects: [CommandRun.Aspect]) {
        state.withLock { state in
            for aspect in aspects { state.unread[aspect] = run }
        }
    }

    /// Takes the run that was kept for an aspect, if there is one that was not taken yet.
    func takeRun(for aspect: CommandRun.Aspect) -> CommandRun? {
        state.withLock { $0.unread.removeValue(forKey: aspect) }
    }

    /// Where a command's output goes.
    func path(_ name: String) -> String {
        guard let folder = state.withLock({ $0.folder }) else {
            preconditionFailure("there is no folder; set the suite up first")
        }
        return folder.appending(path: name).path
    }
}
