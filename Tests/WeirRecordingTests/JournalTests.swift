import Foundation
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirRecording

/// What arrives is kept until checkpoints cover it.
@Suite struct JournalTests {
    private let folder = NSTemporaryDirectory() + "weir-journal-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func names() -> [String] { (FileSystem.names(inFolder: folder) ?? []).filter { $0.hasPrefix("journal-") } }

    private func settings(_ limit: Int64 = 1 << 20, _ policy: Journal.Policy = .stop) -> Journal.Settings {
        Journal.Settings(limit: limit, policy: policy, isDurable: false)
    }

    /// Reads some bytes at a time, with pieces of random lengths.
    private func read(_ source: JournaledSource, upTo count: Int, _ random: inout SeededGenerator) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...min(700, count - bytes.count), using: &random))
            let found = try unsafe buffer.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
            if found == 0 { break }
            bytes += buffer.prefix(found)
        }
        return bytes
    }

    /// Runs that end anywhere, each with a part of the input that no other run gets, and checkpoints now and then.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func everyByteIsHandedOutOnceAcrossRuns(seed: UInt64) throws {
        defer { remove() }
        var random = SeededGenerator(seed: seed)
        let whole = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var rest = whole[...]
        // What checkpoints say: the processed bytes and the place.
        var saved: (bytes: [UInt8], place: Int64) = ([], 0)
        while !rest.isEmpty || saved.bytes.count < whole.count {
            let journal = try Journal(in: folder, of: "in", settings())
            let share = Array(rest.prefix(Int.random(in: 0...6000, using: &random)))
            let source = try JournaledSource(ByteSource(share), journal, from: saved.place)
            var bytes = saved.bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes += try read(source, upTo: Int.random(in: 1...2000, using: &random), &random)
                guard Bool.random(using: &random) else { continue }
                let place = try #require(source.position).offset
                #expect(Int(place) == bytes.count)
                saved = (bytes, place)
                journal.noteCheckpoint(covering: place)
            }
            #expect(whole.starts(with: bytes), "seed \(seed)")
            // The run is killed here: what it took of its share stays in the journal.
            let taken = max(0, bytes.count - (whole.count - rest.count))
            rest = rest.dropFirst(taken)
        }
        #expect(saved.bytes == whole, "seed \(seed)")
    }

    /// Messages that come a few bytes at a time, however much is asked for.
    private final class Messages: MessageSource {
        let expectedByteCount: Int64? = nil
        let sharesHeader: Bool
        private(set) var header: [UInt8]?
        private var messages: ArraySlice<[UInt8]>
        private var rest: ArraySlice<UInt8> = []
        private var random: SeededGenerator

        init(_ messages: ArraySlice<[UInt8]>, seed: UInt64, sharesHeader: Bool = false) {
            (self.messages, self.sharesHeader) = (messages, sharesHeader)
            random = SeededGenerator(seed: seed)
        }

        var isBetweenMessages: Bool { rest.isEmpty }

        func goOn(behind header: [UInt8]) { self.header = header }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if rest.isEmpty { rest = (messages.popFirst() ?? [])[...] }
            let count = min(rest.count, buffer.count, Int.random(in: 1...9, using: &random))
            unsafe buffer.copyBytes(from: rest.prefix(count))
            rest.removeFirst(count)
            return count
        }
    }

    /// A run that is killed within a message leaves whole ones to the next, which may get the last of them again.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func messagesAreWholeInTheJournal(seed: UInt64) throws {
        defer { remove() }
        var random = SeededGenerator(seed: seed)
        let all = (0..<60).map { number in
            Array("\(number) \(String(repeating: "x", count: Int.random(in: 0..<40, using: &random)))\n".utf8)
        }
        let whole = Array(all.joined())
        var kept = 0
        while kept < all.count {
            let journal = try Journal(in: folder, of: "in", settings())
            let sent = kept + Int.random(in: 0...8, using: &random)
            let source = try JournaledSource(
                Messages(all[kept..<min(sent, all.count)], seed: random.next()),
                journal,
                from: 0
            )
            let before = all[..<kept].joined().count
            let wanted = before + Int.random(in: 0...100, using: &random)
            let bytes = try read(source, upTo: wanted, &random)
            #expect(whole.starts(with: bytes), "seed \(seed)")
            #expect(try #require(source.position).offset == Int64(bytes.count))
            let end = Int(try Journal(in: folder, of: "in", settings()).extent.upperBound)
            #expect(end >= bytes.count)
            // What is in the journal is what the sender learns; it sends all else again.
            kept = try #require((0...all.count).first { all[..<$0].joined().count == end }, "seed \(seed): \(end)")
        }
        let again = try JournaledSource(ByteSource([]), Journal(in: folder, of: "in", settings()), from: 0)
        #expect(try read(again, upTo: whole.count + 1, &random) == whole, "seed \(seed)")
    }

    /// A source that is interrupted where a piece is `nil`.
    private final class Pausing: MessageSource {
        let expectedByteCount: Int64? = nil
        let sharesHeader = false
        private var pieces: ArraySlice<String?>

        init(_ pieces: [String?]) { self.pieces = pieces[...] }

        var isBetweenMessages: Bool { pieces.isEmpty }

        func goOn(behind header: [UInt8]) {}

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
            guard let piece = pieces.popFirst() else { return 0 }
            guard let piece else { throw .interrupted(address: "here") }
            unsafe buffer.copyBytes(from: piece.utf8)
            return piece.utf8.count
        }
    }

    @Test func aPauseWithinAMessageCostsNothingOfIt() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 6)
        let journal = try Journal(in: folder, of: "in", settings())
        let source = try JournaledSource(Pausing(["one ", "two ", nil, nil, "three"]), journal, from: 0)
        for _ in 0..<2 {
            #expect(throws: TransportError.self) { try read(source, upTo: 100, &random) }
            #expect(source.position?.offset == 0)
        }
        #expect(String(decoding: try read(source, upTo: 100, &random), as: UTF8.self) == "one two three")
        #expect(journal.extent == 0..<13)
    }

    @Test func theHeaderThatAllSendersBeginWithIsKnownAgain() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 4)
        let rows = ["\r\n", "a,b\r\n", "1,2\n"].map { Array($0.utf8) }
        func header(from place: Int64, behind head: String) throws -> String? {
            let messages = Messages(rows[...], seed: 1, sharesHeader: true)
            let journal = try Journal(in: folder, of: "in", settings())
            let source = try JournaledSource(messages, journal, from: place, behind: Array(head.utf8))
            _ = try read(source, upTo: Int(journal.extent.upperBound - place) + 1, &random)
            return messages.header.map { String(decoding: $0, as: UTF8.self) }
        }
        // The first run knows of none, the next finds it in the journal, and one behind it gets it from the checkpoint.
        #expect(try header(from: 0, behind: "") == nil)
        _ = try read(
            JournaledSource(Messages(rows[1...], seed: 2), Journal(in: folder, of: "in", settings()), from: 2),
            upTo: 100,
            &random
        )
        #expect(try header(from: 0, behind: "") == "a,b")
        #expect(try header(from: 7, behind: "\na,b\n") == "a,b")
    }

    /// What the disk has lost between two segments is said, and what follows is read.
    @Test func aGapIsSaidAndASegmentThatCouldNotBeMadeIsTriedAgain() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 5)
        let journal = try Journal(in: folder, of: "in", settings())
        let source = try JournaledSource(ByteSource(Array("one two three four".utf8)), journal, from: 0)
        _ = try read(source, upTo: 8, &random)
        _ = try read(source, upTo: 10, &random)
        journal.noteCheckpoint(covering: 4)
        let next = try JournaledSource(
            ByteSource(Array(" five".utf8)),
            Journal(in: folder, of: "in", settings()),
            from: 18
        )
        _ = try read(next, upTo: 5, &random)
        #expect(names().count == 2)
        let path = folder + "/" + names()[0]
        // The last piece of the first segment is torn.
        let size = try #require(FileSystem.length(ofFile: path)).byteCount
        try FileSystem.cutFile(path, to: size - 1)
        let after = try Journal(in: folder, of: "in", settings())
        let meter = TransportMeter()
        let again = try JournaledSource(MeteredSource(meter), after, from: 4)
        let text = String(decoding: try read(again, upTo: 100, &random), as: UTF8.self)
        #expect(text.hasSuffix(" five") && "two three four five".hasPrefix(text.dropLast(5)), "\(text)")
        #expect(text.utf8.count < 19)
        #expect(meter.takeNotices().joined().contains("bytes of the journal are missing"))
        #expect(again.position?.offset == 23)
    }

    /// Every bit of every byte of a segment flipped: refused with a way on, and dropped where that is wanted, once.
    @Test func damageIsRefusedOrDropped() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 1)
        let text = "one two three four five"
        _ = try read(
            JournaledSource(ByteSource(Array(text.utf8)), Journal(in: folder, of: "in", settings()), from: 0),
            upTo: 99,
            &random
        )
        let path = folder + "/" + (try #require(names().first))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                _ = try Journal(in: folder, of: "in", settings())
                continue  // The last piece may be taken for one that a kill has torn.
            } catch {
                #expect("\(error)".contains("'\(path)'") && !"\(error)".contains("\n"))
            }
            let settings = Journal.Settings(limit: 1 << 20, policy: .stop, isDurable: false, dropsDamage: true)
            // It may be looked at before it is read.
            _ = try? Journal(in: folder, of: "in", settings)
            guard let journal = try? Journal(in: folder, of: "in", settings) else {
                // A version that there may be one day.
                continue
            }
            let meter = TransportMeter()
            let source = try JournaledSource(MeteredSource(meter), journal, from: 0)
            let found = String(decoding: try read(source, upTo: 99, &random), as: UTF8.self)
            #expect(text.hasPrefix(found), "byte \(place): \(found)")
            let notices = meter.takeNotices()
            #expect(notices.count == 1, "byte \(place): \(notices)")
            #expect(notices.first?.contains(found.isEmpty ? "nothing of it is read" : "is dropped") == true)
            // It is whole now, also for those that refuse damage.
            #expect(try Journal(in: folder, of: "in", self.settings()).byteCount == found.utf8.count)
        }
    }

    private final class MeteredSource: TransportSource {
        let expectedByteCount: Int64? = nil
        let meter: TransportMeter?

        init(_ meter: TransportMeter) { self.meter = meter }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    }

    @Test func aTornEndIsLeftOutAndAnotherInputHasItsOwn() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 1)
        let journal = try Journal(in: folder, of: "in", settings())
        let source = try JournaledSource(ByteSource(Array("one two three".utf8)), journal, from: 0)
        _ = try read(source, upTo: 8, &random)
        let path = folder + "/" + names()[0]
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([9, 9, 9]))
        try handle.close()
        let again = try Journal(in: folder, of: "in", settings())
        #expect(again.extent == 0..<8)
        let next = try JournaledSource(ByteSource(Array("more".utf8)), again, from: 4)
        #expect(String(decoding: try read(next, upTo: 100, &random), as: UTF8.self) == "two more")
        #expect(try Journal(in: folder, of: "in", settings()).extent == 0..<12)
        #expect(try Journal(in: folder, of: "other", settings()).extent.isEmpty)
        // A checkpoint from before the first byte that is kept cannot be used.
        let late = try Journal(in: folder, of: "other", settings())
        _ = try read(JournaledSource(ByteSource([1, 2]), late, from: 50), upTo: 2, &random)
        let reopened = try Journal(in: folder, of: "other", settings())
        #expect(reopened.extent == 50..<52)
        #expect(throws: TransportError.self) { try JournaledSource(ByteSource([]), reopened, from: 49) }
    }

    @Test func whatTheLastThreeCheckpointsNeedIsKept() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 2)
        let journal = try Journal(in: folder, of: "in", settings(3000))
        let source = try JournaledSource(ByteSource([UInt8](repeating: 1, count: 9000)), journal, from: 0)
        for round in 1...6 {
            _ = try read(source, upTo: 100, &random)
            journal.noteCheckpoint(covering: Int64(round * 100))
            #expect(journal.extent.lowerBound == Int64(max(0, round - 2) * 100), "round \(round)")
        }
        #expect(!journal.wantsCheckpoint)
        _ = try read(source, upTo: 1500, &random)
        #expect(journal.wantsCheckpoint)
        journal.noteCheckpoint(covering: 2000)
        // All but the segment that was written last.
        #expect(names().count == 1)
    }

    @Test func theBoundStopsTheInputOrCostsWhatComes() throws {
        defer { remove() }
        var random = SeededGenerator(seed: 3)
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        let strict = try Journal(in: folder, of: "a", settings(1000))
        let stopping = try JournaledSource(ByteSource(bytes), strict, from: 0)
        let error = #expect(throws: TransportError.self) { try read(stopping, upTo: 5000, &random) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("the journal has no room left"))
        #expect(strict.byteCount <= 1000)
        let loose = try Journal(in: folder, of: "b", settings(1000, .lose))
        let going = try JournaledSource(ByteSource(bytes), loose, from: 0)
        #expect(try read(going, upTo: 5000, &random) == bytes)
        #expect(loose.byteCount <= 1000 && loose.byteCount > 0)
        #expect(loose.lostByteCount == UInt64(5000 - loose.byteCount))
    }
}
