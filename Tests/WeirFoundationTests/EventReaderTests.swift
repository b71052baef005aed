import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirFoundation
import WeirRecords
import WeirSelection
import WeirTesting

@Suite(.timeLimit(.minutes(10))) struct EventReaderTests {
    private struct Sample: Event, Codable, Equatable {
        let timestamp: Timestamp
        let name: String
        let celsius: Double
    }

    /// The same, read without Foundation.
    private struct FieldSample: Event, FieldDecodable, Equatable {
        enum Key: Int, FieldKey {
            case timestamp, name, celsius
        }

        let timestamp: Timestamp
        let name: String
        let celsius: Double

        init(from record: borrowing FieldReader<Key>) throws(FieldError) {
            timestamp = try record.timestamp(.timestamp)
            name = try record.string(.name)
            celsius = try record.double(.celsius)
        }
    }

    /// A file that goes when the value goes.
    private final class File {
        let path: String

        init(_ text: String, ending: String) throws {
            path = temporaryPath() + ending
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static let header = "timestamp,name,celsius\n"

    @Test func aFileIsAStreamInOneLine() async throws {
        let file = try File(Self.header + "1,a,31\n2,b,20\nno\n3,c,40\n", ending: ".csv")
        let samples = AsyncValues(try EventReader(Sample.self, from: .file(file.path)), at: \.timestamp)
        var names: [String] = []
        for await sample in samples.filter({ $0.celsius > 30 }).values() { names.append(sample.name) }
        #expect(names == ["a", "c"])
    }

    /// Random lines, some of them bad, and what is right about them.
    private func lines(
        _ format: DecodableFormat,
        count: Int,
        _ generator: inout SeededGenerator
    ) -> (text: String, samples: [Sample], bad: [UInt64]) {
        var text = format == .csv ? Self.header : ""
        var (samples, bad): ([Sample], [UInt64]) = ([], [])
        for number in 0..<count {
            let celsius = Double(Int.random(in: -400...400, using: &generator)) / 8
            let name = "n\(Int.random(in: 0...9, using: &generator))"
            let isBad = Int.random(in: 0..<50, using: &generator) == 0
            let value = isBad ? "warm" : "\(celsius)"
            switch format {
            case .csv: text += "\(number),\(name),\(value)\n"
            case .jsonLines, .json:
                if format == .json { text += number == 0 ? "[" : "," }
                text += #"{"timestamp":\#(number),"name":"\#(name)","celsius":\#(isBad ? #""warm""# : value)}"# + "\n"
            }
            if isBad {
                bad.append(UInt64(number + (format == .csv ? 2 : 1)))
            } else {
                let time = Timestamp(millisecondsSinceEpoch: Int64(number))
                samples.append(Sample(timestamp: time, name: name, celsius: celsius))
            }
        }
        if format == .json { text += count == 0 ? "[]" : "]" }
        return (text, samples, bad)
    }

    @Test(arguments: [
        (DecodableFormat.csv, ".csv"), (.jsonLines, ".jsonl"), (.jsonLines, ".NDJSON"), (.json, ".json"),
    ])
    func allEventsComeInOrderAndBadLinesAreOffered(format: DecodableFormat, ending: String) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for count in [0, 1, 511, 512, 513, 20_000] {
            let (text, expected, bad) = lines(format, count: count, &generator)
            let file = try File(text, ending: ending)
            let rejected = Locked<[UInt64]>([])
            let reader = try EventReader(Sample.self, from: .file(file.path)) { line in
                rejected.withLock { $0.append(line.line) }
            }
            var samples: [Sample] = []
            for try await sample in reader { samples.append(sample) }
            #expect(samples == expected, "seed \(seed)")
            #expect(rejected.withLock { $0 } == bad, "seed \(seed)")
            #expect(reader.eventCount == UInt64(expected.count))
            #expect(reader.rejectedCount == UInt64(bad.count))

            var fieldSamples: [FieldSample] = []
            let fieldReader = try EventReader(FieldSample.self, from: .file(file.path))
            for try await sample in fieldReader { fieldSamples.append(sample) }
            #expect(fieldSamples.map(\.celsius) == expected.map(\.celsius), "seed \(seed)")
            #expect(fieldSamples.map(\.timestamp) == expected.map(\.timestamp), "seed \(seed)")
            #expect(fieldReader.rejectedCount == UInt64(bad.count))
        }
    }

    @Test func aReaderIsNotFarAheadOfWhoReads() async throws {
        var generator = SeededGenerator(seed: 7)
        let file = try File(lines(.csv, count: 50_000, &generator).text, ending: ".csv")
        let reader = try EventReader(Sample.self, from: .file(file.path))
        var iterator = reader.makeAsyncIterator()
        _ = try await iterator.next()
        #expect((1...512).contains(reader.eventCount))
    }

    @Test func whatOneIteratorTookIsGone() async throws {
        let file = try File(Self.header + "1,a,1\n2,b,2\n", ending: ".csv")
        let reader = try EventReader(Sample.self, from: .file(file.path))
        for try await _ in reader {}
        for try await sample in reader { Issue.record("\(sample) was read twice") }
    }

    @Test func aChannelGetsAllEventsAndTheEnd() async throws {
        let file = try File(Self.header + "1,a,1\n2,b,warm\n3,c,3\n", ending: ".csv")
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel)
        try await EventReader(Sample.self, from: .file(file.path)).read(into: channel, finishing: false)
        #expect(!recorder.isFinished)
        try await EventReader(Sample.self, from: .file(file.path)).read(into: channel)
        #expect(recorder.elements.map(\.name) == ["a", "c", "a", "c"])
        #expect(recorder.signals.last == .completion(.finished))
    }

    @Test func anInputThatCannotBeReadFailsTheChannel() async throws {
        let file = try File("timestamp,timestamp\n", ending: ".csv")
        let channel = EventChannel<FieldSample>()
        let recorder = Recorder(channel)
        let reader = try EventReader(FieldSample.self, from: .file(file.path))
        let flaw = ReadingError.format(.duplicateField("timestamp"))
        await #expect(throws: flaw) { try await reader.read(into: channel) }
        #expect(recorder.signals == [.completion(.failed(flaw))])
    }

    @Test func errorsSayWhatIsWrong() async throws {
        let missing = temporaryPath() + ".csv"
        do throws(ReadingError) {
            _ = try EventReader(Sample.self, from: .file(missing))
            Issue.record("a file that is not there was opened")
        } catch .transport(.cannotOpen(let address, _)) {
            #expect(address == missing)
        } catch {
            Issue.record(error)
        }

        let unnamed = try File(Self.header, ending: ".txt")
        #expect("the format is known") { try EventReader(Sample.self, from: .file(unnamed.path)) } throws: { error in
            "\(error)".contains("does not end in .csv, .jsonl or .ndjson")
        }
        let reader = try EventReader(Sample.self, from: .file(unnamed.path, format: .csv))
        for try await _ in reader { Issue.record("a header is no event") }

        let compressed = try File("", ending: ".csv")
        try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0]).write(to: URL(fileURLWithPath: compressed.path))
        let packed = try EventReader(Sample.self, from: .file(compressed.path))
        await #expect(throws: ReadingError.format(.compressed("gzip"))) { for try await _ in packed {} }
    }

    @Test func cancellingEndsTheWaiting() async throws {
        let path = temporaryPath() + ".csv"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let reader = try EventReader(Sample.self, from: .file(path))
        let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try writer.write(contentsOf: Data((Self.header + "1,a,1\n").utf8))
        let (came, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            var names: [String] = []
            for try await sample in reader {
                names.append(sample.name)
                continuation.yield(sample.name)
            }
            return names
        }
        for await name in came.prefix(1) { #expect(name == "a") }
        task.cancel()
        #expect(try await task.value == ["a"])
        try writer.close()
    }

    @Test func cancellingInterruptsTheChannel() async throws {
        let path = temporaryPath() + ".csv"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let channel = EventChannel<Sample>()
        let recorder = Recorder(channel)
        let reader = try EventReader(Sample.self, from: .file(path))
        let task = Task { try await reader.read(into: channel) }
        task.cancel()
        try await task.value
        #expect(recorder.signals == [.completion(.interrupted)])
    }

    @Test func standardInputIsReadLikeAFile() async throws {
        await #expect(processExitsWith: .success) {
            let (reading, writing) = (Pipe(), Self.header + "1,a,1\n2,b,2\n")
            precondition(dup2(reading.fileHandleForReading.fileDescriptor, 0) == 0)
            try reading.fileHandleForWriting.write(contentsOf: Data(writing.utf8))
            try reading.fileHandleForWriting.close()
            var names: [String] = []
            let reader = try EventReader(Sample.self, from: .standardInput(.csv))
            for try await sample in reader { names.append(sample.name) }
            precondition(names == ["a", "b"], "\(names)")
        }
    }
}
