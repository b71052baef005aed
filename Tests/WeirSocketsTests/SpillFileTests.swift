import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct SpillFileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func open(_ limit: Int = 1 << 20) throws -> SpillFile {
        try SpillFile(path: folder("spill"), limit: limit, address: "test")
    }

    private func batch(_ text: String, isDatagram: Bool = false) -> OutgoingBatch {
        var batch = OutgoingBatch()
        var lines = Array(text.utf8)
        unsafe lines.withUnsafeMutableBytes { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if isDatagram {
                unsafe batch.append(message: bytes)
                unsafe batch.append(message: bytes)
            } else {
                unsafe batch.append(lines: bytes, count: UInt64(text.utf8.count { $0 == UInt8(ascii: "\n") }))
            }
        }
        return batch
    }

    @Test func agreesWithAListAlsoWhenItIsOpenedAgain() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            var file = try open()
            file.clear()
            var model: [(text: String, isDatagram: Bool)] = []
            for step in 0..<200 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let text = "\(step)" + String(repeating: "x", count: .random(in: 0...3000, using: &random)) + "\n"
                    let isDatagram = Bool.random(using: &random)
                    #expect(file.append(batch(text, isDatagram: isDatagram)))
                    model.append((text, isDatagram))
                case 5..<9:
                    let first = file.first()
                    #expect((first == nil) == model.isEmpty, "seed \(seed)")
                    guard let first else { continue }
                    let (text, isDatagram) = model.removeFirst()
                    #expect(first.bytes == batch(text, isDatagram: isDatagram).bytes)
                    #expect(first.ends == batch(text, isDatagram: isDatagram).ends)
                    file.removeFirst()
                default:
                    _ = consume file
                    file = try open()
                    #expect(file.damage == nil)
                    #expect(file.found == model.reduce(0) { $0 + ($1.isDatagram ? 2 : 1) }, "seed \(seed)")
                }
                #expect(file.isEmpty == model.isEmpty, "seed \(seed)")
                #expect(file.messages == model.reduce(0) { $0 + ($1.isDatagram ? 2 : 1) }, "seed \(seed)")
            }
        }
    }

    @Test func aTornEndIsCutOffAndTheRestKept() throws {
        do {
            let file = try open()
            #expect(file.append(batch("one\n")) && file.append(batch("two\n")))
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder("spill")))
        for count in 16..<whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: folder("spill")))
            let file = try open()
            let isFirstWhole = count >= 16 + 12 + 4 + 4
            #expect(file.found == (isFirstWhole ? 1 : 0), "\(count)")
            #expect((file.damage != nil) == (count != 16 && count != 36), "\(count)")
            #expect(file.append(batch("new\n")))
            if isFirstWhole {
                #expect(file.first().map { String(decoding: $0.bytes, as: UTF8.self) } == "one\n")
                file.removeFirst()
            }
            #expect(file.first().map { String(decoding: $0.bytes, as: UTF8.self) } == "new\n")
        }
    }

    @Test func aChangedByteIsFound() throws {
        do {
            let file = try open()
            #expect(file.append(batch("some bytes\n")))
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder("spill")))
        for index in 32..<whole.count {
            var changed = whole
            changed[index] ^= 0x20
            try changed.write(to: URL(fileURLWithPath: folder("spill")))
            #expect(try open().damage != nil, "\(index)")
        }
    }

    @Test func whatIsNoSpillIsLeftAlone() throws {
        try folder.write("spill", "a file that is still needed")
        let error = try #require(throws: TransportError.self) { try open() }
        #expect("\(error)".contains("another kind of file"))
        #expect(try String(contentsOfFile: folder("spill"), encoding: .utf8) == "a file that is still needed")
    }

    @Test func twoSinksCannotShareOne() throws {
        let file = try open()
        let error = try #require(throws: TransportError.self) { try open() }
        #expect("\(error)".contains("another sink uses it"))
        #expect(file.isEmpty)
    }

    @Test func takesNoMoreThanItsLimit() throws {
        let file = try open(1024)
        var count: UInt64 = 0
        while file.append(batch("0123456789012345678901234567890123456789\n")) { count += 1 }
        #expect(file.isFull && count == (1024 - 16) / (12 + 4 + 41) && file.messages == count)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("spill"))).count <= 1024)
        for _ in 0..<count {
            #expect(file.first() != nil)
            file.removeFirst()
        }
        #expect(file.isEmpty && !file.isFull)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("spill"))).count == 16)
    }

    @Test func theDiskGetsBackWhatWasSent() throws {
        let limit = 2 << 20
        let file = try open(limit)
        let line = String(repeating: "x", count: 99_999) + "\n"
        func blocks() throws -> Int {
            var status = stat()
            try #require(unsafe stat(folder("spill"), &status) == 0)
            return Int(status.st_blocks) * 512
        }
        // Four times as much as the disk may give goes through a file that is never empty.
        for step in 0..<80 {
            #expect(file.append(batch("\(step) " + line)), "step \(step): \(file.fullness ?? "")")
            guard file.messages > 4 else { continue }
            let first = try #require(file.first())
            #expect(first.bytes.starts(with: Array("\(step - 4) ".utf8)))
            file.removeFirst()
            #expect(try blocks() <= limit, "step \(step)")
        }
        #expect(file.messages == 4 && !file.isFull)
        while file.first() != nil { file.removeFirst() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("spill"))).count == 16)
    }

    @Test func aHoleInTheFrontIsNoObstacleToTheNextStart() throws {
        let line = String(repeating: "x", count: 99_999) + "\n"
        do {
            let file = try open(3 << 20)
            for step in 0..<25 { #expect(file.append(batch("\(step) " + line))) }
            for _ in 0..<21 {
                _ = file.first()
                file.removeFirst()
            }
        }
        let file = try open(3 << 20)
        #expect(file.found == 4 && file.damage == nil)
        #expect(file.first()?.bytes.starts(with: Array("21 ".utf8)) == true)
        // Only what is unsent counts.
        var count = 0
        while file.append(batch("\(count) " + line)) { count += 1 }
        #expect(count >= 26, "\(count)")
    }

    @Test func aDiskThatIsFullLeavesWholeRecords() async {
        await #expect(processExitsWith: .success) {
            // As long as a file may be here, and not longer: what a full disk does.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
            precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let folder = try Folder()
            let file = try SpillFile(path: folder("spill"), limit: 1 << 20, address: "test")
            let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
            var count: UInt64 = 0
            while true {
                var batch = OutgoingBatch()
                unsafe line.withUnsafeBytes { unsafe batch.append(lines: $0, count: 1) }
                guard file.append(batch) else { break }
                count += 1
            }
            precondition(file.isFull && count == (20_000 - 16) / 1016 && file.messages == count)
            for _ in 0..<count {
                precondition(file.first()?.bytes == line)
                file.removeFirst()
            }
            precondition(file.isEmpty)
        }
    }
}
