import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirState

/// A checkpoint with something of everything, as a seed decides.
func sample(seed: UInt64) -> RunCheckpoint {
    var random = SeededNumbers(seed: seed)
    var checkpoint = RunCheckpoint()
    checkpoint.number = random.next() >> 20
    checkpoint.program = "1.\(random.next() % 10)"
    checkpoint.time = Int64(bitPattern: random.next())
    checkpoint.isFinished = random.next() % 2 == 0
    for index in 0..<random.next() % 3 {
        checkpoint.settings.append(RunCheckpoint.Setting(name: "option\(index)", value: "é \(random.next())"))
        checkpoint.counts.append((name: "count\(index)", value: random.next()))
    }
    for index in 0..<random.next() % 4 {
        var position = SourcePosition(offset: Int64(random.next() >> 8))
        (position.node, position.fileByteCount) = (random.next(), Int64(random.next() >> 8))
        (position.head, position.tail) = (random.bytes(), random.bytes())
        if random.next() % 2 == 0 { position.header = random.bytes() }
        let places: [RunCheckpoint.Input.Place] = [
            .unknown,
            .bytes(
                RunCheckpoint.BytePlace(
                    position: position,
                    prelude: random.bytes(),
                    unread: random.bytes(),
                    line: random.next()
                )
            ),
            .records(
                RunCheckpoint.RecordPlace(position: position, records: random.next(), rejections: random.next())
            ),
        ]
        let place = places[Int(random.next() % 3)]
        checkpoint.inputs.append(RunCheckpoint.Input(name: "input \(index)", place: place, byteCount: Int64(index)))
        checkpoint.outputs.append(
            RunCheckpoint.Output(
                name: "output \(index)",
                byteCount: Int64(random.next() >> 8),
                node: random.next(),
                finalByteCount: random.next() % 2 == 0 ? nil : 7
            )
        )
        checkpoint.consumers.append(
            RunCheckpoint.Consumer(
                name: "plugin \(index)",
                fingerprint: "f",
                partialMatches: random.next() % 2 == 0 ? nil : Int(random.next() % 100),
                bytes: random.bytes()[...]
            )
        )
        checkpoint.parts.append(RunCheckpoint.Part(name: "held", bytes: random.bytes()))
    }
    return checkpoint
}

struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD >> 3
    }

    mutating func bytes() -> [UInt8] { (0..<next() % 40).map { _ in UInt8(truncatingIfNeeded: next() >> 7) } }
}

@Suite struct CheckpointTests {
    @Test(arguments: 0..<50 as Range<UInt64>)
    func whatIsWrittenIsRead(seed: UInt64) throws {
        let checkpoint = sample(seed: seed)
        let bytes = checkpoint.encoded()
        let read = try RunCheckpoint(bytes)
        #expect(read == checkpoint)
        #expect(read.inputs == checkpoint.inputs)
        #expect(read.outputs == checkpoint.outputs)
        #expect(read.consumers == checkpoint.consumers)
        #expect(read.counts.map(\.value) == checkpoint.counts.map(\.value))
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func everyCutAndEveryFlippedBitIsFound(seed: UInt64) {
        let bytes = sample(seed: seed).encoded()
        for count in 0..<bytes.count {
            #expect(throws: CheckpointFlaw.self, "\(count) of \(bytes.count) bytes") {
                try RunCheckpoint(Array(bytes.prefix(count)))
            }
        }
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CheckpointFlaw.self, "bit \(bit)") { try RunCheckpoint(flipped) }
        }
        #expect(throws: CheckpointFlaw.self) { try RunCheckpoint(bytes + [0]) }
    }

    @Test func aNewerVersionAndOtherFilesAreToldApart() {
        var bytes = sample(seed: 1).encoded()
        bytes[8] = 2
        #expect(throws: CheckpointFlaw.isNewer(version: 2)) { try RunCheckpoint(bytes) }
        #expect(throws: CheckpointFlaw.isNone) { try RunCheckpoint(Array("time,x\n".utf8)) }
        #expect(throws: CheckpointFlaw.isDamaged(at: 0)) { try RunCheckpoint([]) }
    }

    /// Random changes with right checksums reach the readers of sections: they answer, and never crash.
    @Test func changedSectionsAreReadOrRefused() {
        var random = SeededNumbers(seed: 99)
        for seed in 0..<400 as Range<UInt64> {
            var bytes = sample(seed: seed).encoded()
            var place = 12
            while place + 13 <= bytes.count {
                let length = (0..<8).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
                let end = place + 13 + length
                if length > 0 {
                    bytes[place + 13 + Int(random.next() % UInt64(length))] = UInt8(truncatingIfNeeded: random.next())
                }
                let checksum = Checksum.of(bytes, place + 12..<end)
                for byte in 0..<4 {
                    bytes[place + 8 + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(byte)))
                }
                place = end
            }
            if let read = try? RunCheckpoint(bytes) { #expect((try? RunCheckpoint(read.encoded())) == read) }
        }
    }
}
