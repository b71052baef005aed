import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording
import WeirTesting

@Suite struct DamageTests {
    @Test func aTornTailIsCutAtEveryByte() throws {
        let bytes = try ticks(0..<5)
        let ends = (0...5).map { count in try? ticks(0..<count).count }
        for length in 0...bytes.count {
            let whole = ends.last { ($0 ?? .max) <= length } ?? nil
            let events = ends.count { ($0 ?? .max) <= length } - 1
            let found = Found(Array(bytes.prefix(length)))
            #expect(found.error == nil, "after \(length) bytes")
            #expect(try found.ticks() == Array(0..<max(0, events)), "after \(length) bytes")
            // A frame of names is whole even when the event that it is for is not.
            let expectedCut = length - (whole ?? 0)
            #expect(found.cutBytes <= expectedCut, "after \(length) bytes")

            // A recorder goes on after the last whole event, and everything can be read.
            let storage = MemoryStorage(Array(bytes.prefix(length)))
            let recorder = try EventRecorder(storage: { storage }, clock: StillClock())
            #expect(recorder.cutBytes == found.cutBytes, "after \(length) bytes")
            try recorder.record(Tick(timestamp: .epoch, number: 99))
            try recorder.close()
            let continued = Found(storage.bytes)
            #expect(continued.error == nil, "after \(length) bytes")
            #expect(continued.cutBytes == 0, "after \(length) bytes")
            #expect(try continued.ticks() == Array(0..<max(0, events)) + [99], "after \(length) bytes")
        }
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let bytes = try ticks(0..<4)
        let original = try Found(bytes).ticks()
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << UInt8(bit)
                let found = Found(damaged)
                let isNoticed = found.error != nil || found.cutBytes > 0
                if !isNoticed { Issue.record("bit \(bit) of byte \(position) is not noticed") }
                #expect(original.starts(with: try found.ticks()), "bit \(bit) of byte \(position)")
                if case .corrupted(let offset, _)? = found.error { #expect(offset <= position) }
            }
        }
    }

    @Test func damageInTheMiddleIsNotCut() throws {
        let bytes = try ticks(0..<10)
        let early = try ticks(0..<5).count
        // The length of the sixth event, so that it reaches beyond the end.
        var damaged = bytes
        damaged[early + 2] = 0x7F
        #expect(Found(damaged).events.count == 5)
        let storage = MemoryStorage(damaged)
        let error = #expect(throws: RecordingError.self) { _ = try EventRecorder(storage: { storage }) }
        guard case .corrupted(early, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(storage.bytes == damaged)
    }

    @Test func anErrorIsThrownAgain() throws {
        var bytes = try ticks(0..<10)
        bytes[bytes.count / 2] ^= 1
        var reader = try RecordingReader(storage: MemoryStorage(bytes))
        var errors: [RecordingError] = []
        while errors.count < 3 {
            do throws(RecordingError) {
                guard try reader.next() != nil else { break }
            } catch {
                errors.append(error)
            }
        }
        #expect(errors.count == 3)
        #expect(Set(errors).count == 1)
    }

    @Test(arguments: [1, 100, 4096, 200_000])
    func pagesThatNeverGotToTheDiskAreCut(zeros: Int) throws {
        let bytes = try ticks(0..<5)
        let whole = try ticks(0..<4).count
        for keep in [whole, whole + 1, whole + 11, whole + 12, whole + 20, bytes.count - 1] {
            let found = Found(Array(bytes.prefix(keep)) + [UInt8](repeating: 0, count: bytes.count - keep + zeros))
            #expect(found.error == nil, "\(keep) bytes kept")
            #expect(try found.ticks() == [0, 1, 2, 3], "\(keep) bytes kept")
            #expect(found.cutBytes == bytes.count - whole + zeros, "\(keep) bytes kept")
        }
    }

    @Test func saysWhatIsNoRecording() throws {
        #expect(Found(Array("timestamp,x,y,z\n0,1,2,3\n".utf8)).error == .notARecording(path: "memory"))
        #expect(Found([0x89, 0x50]).error == .notARecording(path: "memory"))
        #expect(Found([UInt8](repeating: 0, count: 100)).error == .notARecording(path: "memory"))
        // The start of the binary format, version 1, with a field.
        let binary: [UInt8] = [0x89, 0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A, 1, 0, 1, 0]
        #expect(Found(binary + [UInt8](repeating: 0, count: 88)).error == .notARecording(path: "memory"))
        var newer = try ticks(0..<1)
        newer[8] = 2
        #expect(Found(newer).error == .newerVersion(found: 2, supported: 1))
        let storage = MemoryStorage(newer)
        #expect(throws: RecordingError.newerVersion(found: 2, supported: 1)) {
            _ = try EventRecorder(storage: { storage })
        }
        #expect(storage.bytes == newer)
        #expect(throws: RecordingError.self) { _ = try RecordingReader(path: "/nowhere/at/all") }
        #expect(throws: RecordingError.self) { _ = try RecordingReader(path: "/dev") }
    }

    /// How many times each seed changes bytes: 1,000, or 10,000 with `WEIR_LONG_TESTS=1` in the environment.
    private static var mutationCount: Int {
        ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 1_000 : 10_000
    }

    /// Changes bytes, and in half of the cases makes the checksums right again, to get at what is behind them.
    @Test(arguments: 1...10)
    func survivesMutations(seed: UInt64) throws {
        print("WeirRecording: mutations, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            for _ in 0..<2 { try recorder.record(Everything.random(using: &generator)) }
            try recorder.record(Tick(timestamp: second(1), number: 1))
        }
        var outcomes: [String: Int] = [:]
        for _ in 0..<Self.mutationCount {
            var bytes = storage.bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: bytes[position] = UInt8.random(in: 0 ... .max, using: &generator)
                case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.insert(UInt8.random(in: 0 ... .max, using: &generator), at: position)
                case 3 where bytes.count > 40: bytes.remove(at: position)
                case 4: bytes[position] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
                default: bytes.replaceSubrange(position..<min(position + 8, bytes.count), with: bytes.prefix(8))
                }
            }
            if Bool.random(using: &generator) { Self.repair(&bytes) }
            let found = Found(bytes)
            outcomes[found.error.map { "\($0)".prefix(30).description } ?? "read", default: 0] += 1
            for event in found.events {
                let isDecoded = (try? event.decode(Everything.self)) != nil || (try? event.decode(Tick.self)) != nil
                outcomes[isDecoded ? "decoded" : "not decoded", default: 0] += 1
            }
        }
        #expect(outcomes["not decoded", default: 0] > 100, "\(outcomes)")
        #expect(outcomes["decoded", default: 0] > 100, "\(outcomes)")
    }

    /// Puts right checksums on all frames as far as their lengths make sense.
    static func repair(_ bytes: inout [UInt8]) {
        var offset = 32
        while offset + 12 < bytes.count {
            let length = (0..<3).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            bytes[offset + 3] = 0
            guard offset + 12 + length <= bytes.count, length > 0 else { return }
            put(crc(bytes[(offset + 12)..<(offset + 12 + length)]), at: offset + 4, &bytes)
            put(crc(bytes[offset..<offset + 8]), at: offset + 8, &bytes)
            offset += 12 + length
        }
    }

    private static func put(_ number: UInt32, at offset: Int, _ bytes: inout [UInt8]) {
        for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> UInt32(8 * byte)) }
    }

    /// CRC-32C, bit by bit: not the code under test.
    private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0x82F6_3B78 }
        }
        return ~crc
    }

    /// Recorders find names by their numbers; a forged file must not have them write a wrong one.
    @Test(arguments: [[1, 0, 1, 97], [1, 1, 1, 97], [2, 2, 1, 97, 1, 97]] as [[UInt8]])
    func namesThatComeTwiceAreDamage(frame: [UInt8]) throws {
        var bytes = RecordingFormat.header(creation: 0)
        RecordingFormat.appendFrame(to: &bytes) { $0 += [1, 0, 1, 97] }
        RecordingFormat.appendFrame(to: &bytes) { $0 += frame }
        let error = RecordingError.corrupted(offset: 48, reason: "a frame without sense")
        #expect(Found(bytes).error == error)
        #expect(throws: error) { try EventRecorder(storage: { MemoryStorage(bytes) }, clock: StillClock()) }
    }

    @Test func aFrameHasAsManyKeysAsItSays() throws {
        var bytes = RecordingFormat.header(creation: 0)
        let keys = (0..<4096).flatMap { Array("\u{4}\(1000 + $0)".utf8) }
        RecordingFormat.appendFrame(to: &bytes) { $0 += [2, 0x81, 0x20] + keys }
        #expect(Found(bytes).error == .corrupted(offset: 32, reason: "a frame without sense"))
    }
}
