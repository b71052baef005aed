import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFiles
import WeirRecords
import WeirTesting

@testable import WeirRecording

/// Bytes that arrived, as `weir record` keeps them.
@Suite struct ArrivalTests {
    /// A clock that a test sets, and that advances a little at each look while waiting.
    private final class LookedAtClock: TimeSource {
        private let state = Locked(Int64(0))
        private let step: Int64

        init(step: Int64 = 0) {
            self.step = step
        }

        func set(_ nanoseconds: Int64) { state.withLock { $0 = nanoseconds } }

        func now() -> Timestamp {
            state.withLock { time in
                defer { time += step }
                return Timestamp(nanosecondsSinceEpoch: time)
            }
        }
    }

    private struct Piece {
        let time: Int64
        let bytes: [UInt8]
    }

    private func pieces(seed: UInt64, count: Int) -> [Piece] {
        var random = SeededGenerator(seed: seed)
        var time = Int64(1_000_000_000)
        return (0..<count).map { _ in
            time += Int64(random.next() % 5_000_000)
            return Piece(
                time: time,
                bytes: (0..<Int(1 + random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            )
        }
    }

    private func recording(_ pieces: [Piece]) throws -> [UInt8] {
        let clock = LookedAtClock()
        let storage = MemoryStorage(Array("what was there before".utf8))
        let sink = try ArrivalSink(storage, creation: .epoch, clock: clock)
        // Without a byte, it begins the recording.
        try sink.write([UInt8]())
        for piece in pieces {
            clock.set(piece.time)
            try sink.write(piece.bytes)
        }
        return storage.bytes
    }

    /// What one read hands out.
    private func read(_ source: ArrivalSource, _ room: Int = 1 << 16) throws(TransportError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let count = unsafe try source.read(into: buffer)
        return unsafe Array(buffer.prefix(count))
    }

    @Test func allBytesComeBackAtOnceInReadsOfAnySize() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let pieces = pieces(seed: seed, count: 200)
            let bytes = try recording(pieces)
            let source = try ArrivalSource(
                MemoryStorage(bytes),
                speed: .unpaced,
                interruption: nil,
                clock: LookedAtClock()
            )
            var random = SeededGenerator(seed: seed)
            var found: [UInt8] = []
            while true {
                let room = Int(1 + random.next() % 1000)
                let next = try read(source, room)
                guard !next.isEmpty else { break }
                #expect(next.count == room || found.count + next.count == pieces.reduce(0) { $0 + $1.bytes.count })
                found += next
            }
            #expect(found == pieces.flatMap(\.bytes), "seed \(seed)")
            #expect(source.meter?.takeNotices() == [])
        }
    }

    @Test func noPieceComesBeforeItsTimeOrMuchLater() throws {
        for (speed, factor) in [(ReplaySpeed.realTime, 1.0), (.times(10), 10), (.times(0.5), 0.5)] {
            let pieces = pieces(seed: 5, count: 100)
            let look: Int64 = 20_000
            let clock = LookedAtClock(step: look)
            let source = try ArrivalSource(
                MemoryStorage(try recording(pieces)),
                speed: speed,
                interruption: nil,
                clock: clock
            )
            var next = 0
            var start: Int64?
            while true {
                var bytes = try read(source)[...]
                guard !bytes.isEmpty else { break }
                let now = clock.now().nanosecondsSinceEpoch
                let begin = start ?? now
                start = begin
                while !bytes.isEmpty {
                    let piece = pieces[next]
                    #expect(bytes.starts(with: piece.bytes))
                    bytes = bytes.dropFirst(piece.bytes.count)
                    let due = begin + Int64(Double(piece.time - pieces[0].time) / factor)
                    #expect(now >= due - 10 * look && now <= due + 10 * look, "piece \(next) at \(speed)")
                    next += 1
                }
            }
            #expect(next == pieces.count)
        }
    }

    @Test func whatWasCutOffIsLeftOutWithANotice() throws {
        let pieces = pieces(seed: 9, count: 6)
        let bytes = try recording(pieces)
        let ends = try (0...6).map { try recording(Array(pieces.prefix($0))).count }
        for length in ends[0]...bytes.count {
            let source = try ArrivalSource(
                MemoryStorage(Array(bytes.prefix(length))),
                speed: .unpaced,
                interruption: nil,
                clock: LookedAtClock()
            )
            let whole = ends.count { $0 <= length } - 1
            #expect(try read(source) == pieces.prefix(whole).flatMap(\.bytes), "after \(length) bytes")
            #expect(try read(source).isEmpty)
            #expect(source.meter?.takeNotices().count == (ends.contains(length) ? 0 : 1), "after \(length) bytes")
        }
    }

    @Test func damageEndsItAfterAllThatIsWhole() throws {
        let pieces = pieces(seed: 11, count: 5)
        let bytes = try recording(pieces)
        let all = pieces.flatMap(\.bytes)
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 0x10
            var found: [UInt8] = []
            // What is damaged in its header is no recording at all.
            let source = try? ArrivalSource(
                MemoryStorage(damaged),
                speed: .unpaced,
                interruption: nil,
                clock: LookedAtClock()
            )
            var isNoticed = source == nil
            do throws(TransportError) {
                while let source {
                    let next = try read(source)
                    found += next
                    if next.isEmpty { break }
                }
                if source?.meter?.takeNotices().count == 1 { isNoticed = true }
            } catch {
                isNoticed = "\(error)".contains("the recording is damaged at byte ")
            }
            #expect(isNoticed, "byte \(position)")
            #expect(all.starts(with: found), "byte \(position)")
        }
    }

    @Test func aFullDiskLeavesWholePieces() throws {
        let pieces = pieces(seed: 3, count: 3)
        let storage = MemoryStorage()
        let clock = LookedAtClock()
        let sink = try ArrivalSink(storage, creation: .epoch, clock: clock)
        func write(_ bytes: [UInt8]) throws(TransportError) { try sink.write(bytes) }
        try write(pieces[0].bytes)
        let length = storage.bytes.count
        storage.capacity = length + 20
        #expect(throws: TransportError.writeFailed(address: "memory", reason: "the disk is full")) {
            try write(pieces[1].bytes)
        }
        #expect(storage.bytes.count == length)
        storage.capacity = .max
        try write(pieces[2].bytes)
        let source = try ArrivalSource(storage, speed: .unpaced, interruption: nil, clock: clock)
        #expect(try read(source) == pieces[0].bytes + pieces[2].bytes)
    }

    @Test func whatAProgramRecordedIsNoArrivals() throws {
        let storage = MemoryStorage(RecordingFormat.header(creation: 0))
        RecordingFormat.appendFrame(to: &storage.bytes) { bytes in
            bytes.append(RecordingFormat.typeFrame)
            bytes.appendVariable(0)
            bytes.appendText("Tick")
        }
        RecordingFormat.appendFrame(to: &storage.bytes) { bytes in
            bytes.append(RecordingFormat.eventFrame)
            bytes.appendVariable(0)
            bytes.append(Priority.normal.rawValue)
            bytes.appendFixed(Int64(0))
            bytes.appendFixed(Int64(0))
            bytes.append(BodyFormat.small | 1)
        }
        let source = try ArrivalSource(storage, speed: .unpaced, interruption: nil)
        let error = #expect(throws: TransportError.self) { _ = try read(source) }
        #expect("\(String(describing: error))".contains("which a program recorded"))
    }

    /// Arrivals are events like all others of a recording.
    @Test func arrivalsAreReadAsEvents() throws {
        let pieces = pieces(seed: 2, count: 4)
        var reader = try RecordingReader(storage: MemoryStorage(try recording(pieces)))
        for piece in pieces {
            let event = try #require(try reader.next())
            #expect(event.typeName == "weir arrival")
            #expect(event.dispatchTime.nanosecondsSinceEpoch == piece.time)
        }
        #expect(try reader.next() == nil)
    }

    @Test func anInterruptionEndsTheWaiting() throws {
        let interruption = try Interruption()
        let pieces = [Piece(time: 0, bytes: [1]), Piece(time: 3_600_000_000_000, bytes: [2])]
        let source = try ArrivalSource(
            MemoryStorage(try recording(pieces)),
            speed: .realTime,
            interruption: interruption
        )
        #expect(try read(source) == [1])
        let ended = DispatchSemaphore(value: 0)
        let error = Locked<TransportError?>(nil)
        let box = Handover(source)
        Thread.detachNewThread {
            do throws(TransportError) {
                _ = try read(box.source)
            } catch let reason {
                error.withLock { $0 = reason }
            }
            ended.signal()
        }
        interruption.trigger()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(error.withLock { $0 } == .interrupted(address: "memory"))
    }

    @Test func speedsAreReadAndNothingElse() {
        #expect(ReplaySpeed("max") == .unpaced)
        #expect(ReplaySpeed("1x") == .realTime)
        #expect(ReplaySpeed("0.5x") == .times(0.5))
        for text in ["", "x", "0x", "-1x", "10", "nanx", "infx", "fast", "1e999x"] { #expect(ReplaySpeed(text) == nil) }
    }

    @Test func aWriteThatFailsLeavesNothingBehind() throws {
        let clock = LookedAtClock()
        let storage = MemoryStorage()
        let sink = try ArrivalSink(storage, creation: .epoch, clock: clock)
        try sink.write(Array("begin".utf8))
        let before = storage.bytes
        // More than fits one frame: the first one fits the disk, the second one does not.
        let long = (0..<ArrivalFormat.longest * 3 / 2).map { UInt8(truncatingIfNeeded: $0 / 3) }
        storage.capacity = before.count + ArrivalFormat.longest + 1000
        #expect(throws: TransportError.self) { try sink.write(long) }
        #expect(storage.bytes == before)
        storage.capacity = .max
        try sink.write(long)
        let source = try ArrivalSource(storage, speed: .unpaced, interruption: nil, clock: clock)
        #expect(try read(source, 1 << 22) == Array("begin".utf8) + long)
    }

    @Test(arguments: [true, false])
    func whatIsNoArrivalEndsItWithTheSameErrorEachTime(isOtherType: Bool) throws {
        let pieces = pieces(seed: 3, count: 4)
        var bytes = try recording(pieces)
        if isOtherType {
            RecordingFormat.appendFrame(to: &bytes) { bytes in
                bytes.append(RecordingFormat.typeFrame)
                bytes.appendVariable(1)
                bytes.appendText("Purchase")
            }
        }
        RecordingFormat.appendFrame(to: &bytes) { bytes in
            bytes.append(RecordingFormat.eventFrame)
            bytes.appendVariable(isOtherType ? 1 : 0)
            bytes.append(Priority.normal.rawValue)
            bytes.appendFixed(Int64(1))
            bytes.appendFixed(Int64(1))
            bytes.append(0xff)
        }
        // What follows is not read.
        var rest: [UInt8] = []
        let more: [UInt8] = [1, 2, 3]
        ArrivalFormat.append(ContiguousArray(more).span, arrival: .epoch, to: &rest)
        let storage = MemoryStorage(bytes + rest)
        let source = try ArrivalSource(storage, speed: .unpaced, interruption: nil, clock: LookedAtClock())
        #expect(try read(source) == pieces.flatMap(\.bytes))
        let errors = (0..<2).map { _ in #expect(throws: TransportError.self) { try read(source) } }
        #expect(errors[0] == errors[1])
        #expect(String(describing: errors[0]).contains(isOtherType ? "Purchase" : "without bytes"))
    }
}

/// Hands a source to one other thread.
private struct Handover: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the test does not touch the source any more once the thread has it.
    let source: ArrivalSource

    init(_ source: ArrivalSource) {
        self.source = source
    }
}
