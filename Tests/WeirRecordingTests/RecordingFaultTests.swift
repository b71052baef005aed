import WeirRecords

#if os(Linux)
    import CWeirFaults
    import Foundation
    import TestRecordings
    import Testing
    import WeirCore
    import WeirFiles

    @testable import WeirRecording

    /// Each system call of those that write a recording fails in turn, and each byte is the last one that is written.
    @Suite(.serialized) struct RecordingFaultTests {
        private static let pieces = ["one\n", "two\n", "three\n"]

        private static func write(_ pieces: [String], to path: String, options: String = "") throws {
            let sink = try RecordingTransport().openSink(path + options)
            for piece in pieces { try sink.write(Array(piece.utf8)) }
            try sink.finish()
        }

        private static func read(_ path: String) throws -> String {
            let source = try RecordingTransport().openSource(path: path, speed: .unpaced)
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try source.read(into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        @Test(arguments: [false, true])
        func aRecordingIsWholeUpToItsLastPiece(appends: Bool) async {
            await #expect(processExitsWith: .success) { [appends = appends as Bool] in
                var faults = 0
                for choice in UInt64(0)..<3 {
                    for nth in UInt64(0)... {
                        let path = temporaryPath()
                        defer { try? FileManager.default.removeItem(atPath: path) }
                        try Self.write(["old\n"], to: path)
                        let options = appends ? "?append=true" : ""
                        var fault: (any Error)?
                        #expect(cweir_faults_begin_once(choice, UInt32(CWEIR_FAULT_FILE), nth))
                        do { try Self.write(Self.pieces, to: path, options: options) } catch { fault = error }
                        guard cweir_faults_end() > 0 else { break }
                        faults += 1
                        let all = (appends ? "old\n" : "") + Self.pieces.joined()
                        // Where the header could not be written, the file is empty.
                        let isEmpty = FileManager.default.contents(atPath: path)?.isEmpty ?? true
                        let found = try isEmpty ? "" : Self.read(path)
                        if fault == nil {
                            #expect(found == all)
                        } else {
                            let isStart = all.hasPrefix(found) && (found.isEmpty || found.hasSuffix("\n"))
                            #expect(found == "old\n" || isStart, "\(found)")
                        }
                        // The next start goes on behind it.
                        try Self.write(["next\n"], to: path, options: "?append=true")
                        #expect(try Self.read(path) == found + "next\n", "choice \(choice), call \(nth)")
                    }
                }
                print("WeirRecording: \(faults) calls failed in turn")
                #expect(faults > 8)
            }
        }

        @Test func whatIsWrittenOnGoesBehindTheLastWholePiece() throws {
            let path = temporaryPath()
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Self.write(Self.pieces, to: path)
            let bytes = try #require(FileManager.default.contents(atPath: path))
            for length in 0...bytes.count {
                try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
                let before = try length == 0 ? "" : Self.read(path)
                try Self.write(["next\n"], to: path, options: "?append=true")
                #expect(try Self.read(path) == before + "next\n", "after \(length) bytes")
            }
        }
    }
#endif
