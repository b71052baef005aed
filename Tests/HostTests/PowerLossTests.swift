import CWeirFaults
import Foundation
import TestPlugins
import Testing
import WeirCore

@testable import weir

#if canImport(Glibc)
    import Glibc
#endif

/// What a disk has after a power cut, by the calls that were made before it.
///
/// What was waited for is there. Of what was written since to a file, each piece is there, or a part of it, or nothing; of
/// the names that changed since in a folder, each has changed or not, in any order.
private struct Disk {
    /// A call that changed something.
    struct Call {
        let kind: Int
        let first: UInt64
        let second: UInt64
        let one: [UInt8]
        let other: [UInt8]

        var path: String { String(decoding: one, as: UTF8.self) }
        var newPath: String { String(decoding: other, as: UTF8.self) }
    }

    private enum Change {
        case write(place: Int, [UInt8])
        case cut(Int)
    }

    private struct File {
        /// What is there after any power cut, and what may be.
        var durable: [UInt8] = []
        var changes: [Change] = []
        var present: [UInt8] = []
    }

    private var files: [UInt64: File] = [:]
    private var names: [String: UInt64] = [:]
    private var durableNames: [String: UInt64] = [:]

    static func calls(in log: [UInt8]) -> [Call] {
        var place = 0
        func number(_ count: Int) -> UInt64 {
            defer { place += count }
            return (0..<count).reduce(0) { $0 | UInt64(log[place + $1]) << (8 * UInt64($1)) }
        }
        func text() -> [UInt8] {
            let count = Int(number(4))
            defer { place += count }
            return Array(log[place..<place + count])
        }
        var calls: [Call] = []
        while place < log.count {
            calls.append(
                Call(kind: Int(number(1)), first: number(8), second: number(8), one: text(), other: text())
            )
        }
        return calls
    }

    private static func change(_ bytes: inout [UInt8], _ change: Change) {
        switch change {
        case .cut(let count):
            if count < bytes.count { bytes.removeLast(bytes.count - count) }
            bytes += [UInt8](repeating: 0, count: max(0, count - bytes.count))
        case .write(let place, let new):
            bytes += [UInt8](repeating: 0, count: max(0, place + new.count - bytes.count))
            bytes.replaceSubrange(place..<place + new.count, with: new)
        }
    }

    mutating func make(_ call: Call) {
        func change(_ change: Change) {
            var file = files[call.first] ?? File()
            file.changes.append(change)
            Self.change(&file.present, change)
            files[call.first] = file
        }
        switch call.kind {
        case CWEIR_LOG_CREATE:
            if names[call.path] != call.first {
                // A number is used again where a file was removed.
                if !names.values.contains(call.first) { files[call.first] = File() }
                names[call.path] = call.first
            }
        case CWEIR_LOG_WRITE: change(.write(place: Int(call.second), call.one))
        case CWEIR_LOG_CUT: change(.cut(Int(call.second)))
        case CWEIR_LOG_SYNC where call.second == 0:
            if var file = files[call.first] {
                (file.durable, file.changes) = (file.present, [])
                files[call.first] = file
            }
        case CWEIR_LOG_SYNC:
            let folder = call.path + "/"
            func isInside(_ path: String) -> Bool {
                path.hasPrefix(folder) && !path.dropFirst(folder.count).contains("/")
            }
            durableNames = durableNames.filter { !isInside($0.key) }
            for (path, file) in names where isInside(path) { durableNames[path] = file }
        case CWEIR_LOG_RENAME:
            names[call.newPath] = names.removeValue(forKey: call.path)
        case CWEIR_LOG_UNLINK: names[call.path] = nil
        default: fatalError("kind \(call.kind)")
        }
    }

    /// What a power cut leaves, by the paths.
    func afterPowerCut(_ random: inout SeededGenerator) -> [String: [UInt8]] {
        var left: [String: [UInt8]] = [:]
        for path in Set(names.keys).union(durableNames.keys).sorted() {
            let isNew = names[path] != durableNames[path] && Bool.random(using: &random)
            guard let number = isNew ? names[path] : durableNames[path], let file = files[number] else { continue }
            var bytes = file.durable
            for change in file.changes {
                switch (change, Int.random(in: 0..<3, using: &random)) {
                case (_, 0): continue
                case (.write(let place, let new), 1):
                    Self.change(
                        &bytes,
                        .write(place: place, Array(new.prefix(Int.random(in: 0...new.count, using: &random))))
                    )
                default: Self.change(&bytes, change)
                }
            }
            left[path] = bytes
        }
        return left
    }
}

#if os(Linux)
    extension HostTests {
        /// Runs whose machine loses power, or whose system calls fail, go on as if nothing had happened.
        @Suite struct PowerLossTests {
            private static let words = [
                "$/a.csv", "--to", "$/out/m.jsonl", "--rejected", "$/out/bad.txt", "--state", "$/out/state",
                "--checkpoint", "4s",
            ]

            private static func outputs(_ run: StateRun) -> [String] {
                ["out/m.jsonl", "out/bad.txt"].map { run.text($0) }
            }

            private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

            private static func prepared(_ count: Int) throws -> (run: StateRun, expected: [String]) {
                let run = try StateRun()
                try run.write(StateTests.table(seed: 7, count: count), to: "a.csv")
                try FileManager.default.createDirectory(
                    atPath: run.folder + "/out",
                    withIntermediateDirectories: true
                )
                let first = try run.run(Array(words.prefix(5)))
                #expect(first.code == .done, "\(first.said)")
                return (run, outputs(run))
            }

            @Test(arguments: ["always", "interval"])
            func whatAPowerCutTakesIsMadeAgain(durability: String) async throws {
                let (run, expected) = try Self.prepared(6000)
                defer { run.remove() }
                #expect(expected[0].utf8.count > 10_000)
                for name in ["m.jsonl", "bad.txt"] { unsafe unlink(run.folder + "/out/" + name) }
                let words = Self.words + ["--fsync", durability]
                await #expect(processExitsWith: .success) {
                    [folder = run.folder as String, words = words as [String]] in
                    // As the program names its files.
                    guard unsafe cweir_log_begin(folder + "/out", folder + "/log") else { fatalError("no log") }
                    let outcome = try StateRun(in: folder).run(words)
                    cweir_log_end()
                    guard outcome.code == .done else { fatalError(outcome.said) }
                }
                #expect(Self.outputs(run) == expected)
                let log = try Data(contentsOf: URL(fileURLWithPath: run.folder + "/log"))
                let calls = Disk.calls(in: Array(log))
                #expect(calls.count > 50)
                // The files keep their numbers, by which a run knows them.
                for name in ["m.jsonl", "bad.txt"] {
                    _ = unsafe link(run.folder + "/out/" + name, run.folder + "/" + name + ".kept")
                }
                let count = max(60, StateTests.killCount)
                var goneOn = 0
                for seed in 1...count {
                    var random = SeededGenerator(seed: UInt64(seed))
                    let cut = seed * calls.count / count
                    var disk = Disk()
                    for call in calls[..<cut] { disk.make(call) }
                    Self.remove(run.folder + "/out/state")
                    for name in ["m.jsonl", "bad.txt"] { unsafe unlink(run.folder + "/out/" + name) }
                    try FileManager.default.createDirectory(
                        atPath: run.folder + "/out/state",
                        withIntermediateDirectories: true
                    )
                    for (path, bytes) in disk.afterPowerCut(&random) {
                        let kept = run.folder + "/" + (path.split(separator: "/").last ?? "") + ".kept"
                        if FileManager.default.fileExists(atPath: kept) { _ = unsafe link(kept, path) }
                        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
                        let written = unsafe Glibc.write(file, bytes, bytes.count)
                        close(file)
                        #expect(file >= 0 && written == bytes.count, "\(path)")
                    }
                    let last = try run.run(words)
                    if last.said.contains("goes on behind") { goneOn += 1 }
                    #expect(last.code == .done, "seed \(seed), behind call \(cut): \(last.said)")
                    #expect(Self.outputs(run) == expected, "seed \(seed), behind call \(cut): \(last.said)")
                }
                #expect(goneOn > count / 4)
                print(
                    "weir --fsync \(durability): \(count) power cuts behind \(calls.count) calls, \(goneOn) runs went on"
                )
            }

            /// A run in which one call fails may end; the same command then gives what a whole run gives.
            @Test(arguments: 0..<3 as Range<UInt64>)
            func aCallThatFailsCostsNothing(choice: UInt64) async {
                await #expect(processExitsWith: .success) { [choice = choice as UInt64] in
                    let (run, expected) = try PowerLossTests.prepared(1500)
                    defer { run.remove() }
                    let words = PowerLossTests.words + ["--fsync", "always"]
                    let kinds = UInt32(CWEIR_FAULT_DISK_FULL | CWEIR_FAULT_FILE | CWEIR_FAULT_SHORTAGE)
                    var (failures, endings) = (0, 0)
                    for nth in 0..<120 as Range<UInt64> {
                        PowerLossTests.remove(run.folder + "/out/state")
                        guard cweir_faults_begin_once(choice, kinds, nth * 2) else { return }
                        let outcome = try run.run(words)
                        let failed = cweir_faults_end()
                        if failed > 0 { failures += 1 }
                        if outcome.code != .done { endings += 1 }
                        let last = try run.run(words)
                        guard last.code == .done, PowerLossTests.outputs(run) == expected else {
                            fatalError("choice \(choice), call \(nth * 2): \(outcome.said) then \(last.said)")
                        }
                        if failed == 0 { break }
                    }
                    guard failures > 10 else { fatalError("\(failures) failures, \(endings) runs ended") }
                }
            }
        }
    }
#endif
