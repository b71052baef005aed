import Foundation
import WeirCore
import WeirRecords
import WeirTesting

@testable import WeirFoundation
@testable import WeirRecording

/// A recording in memory that is read in pieces.
private final class PieceStorage: RecordingStorage {
    let path = "memory"
    var bytes: [UInt8]
    private let piece: Int

    init(_ bytes: [UInt8], piece: Int) {
        self.bytes = bytes
        self.piece = piece
    }

    func size() -> Int { bytes.count }

    func read(at offset: Int, upTo count: Int, into buffer: inout [UInt8]) -> Int {
        require(count > 0 && offset + count <= bytes.count, "\(count) bytes at \(offset) of \(bytes.count)")
        let part = bytes[offset..<offset + min(count, piece)]
        buffer += part
        return part.count
    }

    func append(_ new: [UInt8]) { bytes += new }

    func truncate(to size: Int) { bytes.removeLast(bytes.count - size) }

    func synchronize() {}
}

/// What is in a recording.
private struct Contents: Equatable {
    struct Piece: Equatable {
        var type: String
        var times: [Int64]
        var priority: UInt8
        var body: [UInt8]
        var keys: [String]
    }

    var pieces: [Piece] = []
    var cutBytes = 0
    var isDamaged = false

    /// What the reader finds.
    init(_ storage: PieceStorage) {
        do throws(RecordingError) {
            var reader = try RecordingReader(storage: storage)
            defer { cutBytes = reader.cutBytes }
            while let event = try reader.next() {
                let times = [event.eventTime, event.dispatchTime].map(\.nanosecondsSinceEpoch)
                pieces.append(
                    Piece(
                        type: event.typeName,
                        times: times,
                        priority: event.priority.rawValue,
                        body: event.body,
                        keys: event.keys
                    )
                )
            }
        } catch {
            isDamaged = true
            requireLine("\(error)")
        }
    }

    /// What should be found in a recording, read slowly.
    init(model bytes: [UInt8]) {
        guard bytes.count >= 32 else {
            isDamaged = !bytes.starts(with: RecordingFormat.magic.prefix(bytes.count))
            cutBytes = isDamaged ? 0 : bytes.count
            return
        }
        let header = bytes.prefix(32)
        let isSound = Self.number(header.suffix(4)) == UInt64(Self.sum(header.dropLast(4)))
        isDamaged = !(isSound && header.starts(with: RecordingFormat.magic) && Self.number(header[8..<16]) == 1)
        if !isDamaged { takeFrames(bytes.dropFirst(32)) }
    }

    private static func sum(_ part: ArraySlice<UInt8>) -> UInt32 { Checksum.of(Array(part), 0..<part.count) }

    private static func number(_ part: ArraySlice<UInt8>) -> UInt64 {
        part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func takeFrames(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        var types: [String] = []
        var keys: [String] = []
        /// What has another checksum was never written where there are only zeros from some byte on.
        func end(zerosFrom start: Int) {
            if rest.dropFirst(start).allSatisfy({ $0 == 0 }) { cutBytes = rest.count } else { isDamaged = true }
        }
        while !rest.isEmpty {
            let start = rest.startIndex
            guard rest.count >= 12 else { return cutBytes = rest.count }
            guard Self.number(rest[start + 8..<start + 12]) == UInt64(Self.sum(rest.prefix(8))) else {
                return end(zerosFrom: 11)
            }
            let length = Int(Self.number(rest[start..<start + 4]))
            guard length > 0, length <= 16 << 20 else { return isDamaged = true }
            guard rest.count >= 12 + length else { return cutBytes = rest.count }
            let payload = rest.dropFirst(12).prefix(length)
            guard Self.number(rest[start + 4..<start + 8]) == UInt64(Self.sum(payload)) else {
                return end(zerosFrom: 11 + length)
            }
            rest = rest.dropFirst(12 + length)
            guard take(Array(payload), &types, &keys) else { return isDamaged = true }
        }
    }

    private mutating func take(_ payload: [UInt8], _ types: inout [String], _ keys: inout [String]) -> Bool {
        var rest = payload.dropFirst()
        func variable() -> UInt64? {
            var number: UInt128 = 0
            for shift in 0..<10 {
                guard let byte = rest.popFirst() else { return nil }
                number |= UInt128(byte & 0x7F) << (7 * shift)
                if byte < 0x80 { return UInt64(exactly: number) }
            }
            return nil
        }
        func text() -> String? {
            guard let count = variable(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return String(validating: rest.prefix(Int(count)), as: UTF8.self)
        }
        switch payload[0] {
        case 1:
            guard variable() == UInt64(types.count), let name = text(), rest.isEmpty else { return false }
            // Of two types with one name an event could not tell which it is.
            guard !types.contains(name) else { return false }
            types.append(name)
            return true
        case 2:
            guard let count = variable(), count <= 4096 else { return false }
            for _ in 0..<count {
                guard let name = text(), !keys.contains(name) else { return false }
                keys.append(name)
            }
            return rest.isEmpty && keys.count <= 4096
        case 3:
            guard let type = variable(), type < UInt64(types.count), let priority = rest.popFirst(), priority < 5,
                rest.count >= 16
            else { return false }
            let times = [rest.prefix(8), rest.dropFirst(8).prefix(8)].map { Int64(bitPattern: Self.number($0)) }
            let body = Array(rest.dropFirst(16))
            pieces.append(Piece(type: types[Int(type)], times: times, priority: priority, body: body, keys: keys))
            return true
        default: return false
        }
    }
}

/// An event that holds anything.
private struct Anything: Event, Codable, Equatable {
    var timestamp: Timestamp
    var content: Document
}

/// The reader finds what a slow one finds, however the bytes come; and a recorder goes on where they end.
func checkRecording(_ input: inout Input, isSound: Bool) {
    let piece = Int(input.byte()) + 1
    var bytes = RecordingFormat.header(creation: 0)
    if isSound {
        while !input.rest.isEmpty {
            let length = Int(input.byte() & 63)
            let payload = [input.byte() & 3] + input.bytes(length)
            RecordingFormat.appendFrame(to: &bytes) { $0 += payload }
        }
    } else if input.byte() == 0 {
        bytes += input.rest
    } else {
        bytes = Array(input.rest)
    }
    let model = Contents(model: bytes)
    let found = Contents(PieceStorage(bytes, piece: piece))
    require(found == model, "other contents:\n\(found)\n\(model)")
    checkArrivals(bytes, model)
    let storage = PieceStorage(bytes, piece: 1 << 16)
    let new = Anything(timestamp: .epoch, content: .object(["a": .text("b"), "": .list([.null]), "time": .bool(true)]))
    do throws(RecordingError) {
        let recorder = try EventRecorder(storage: { storage })
        require(recorder.cutBytes == model.cutBytes, "\(recorder.cutBytes) bytes were cut")
        try recorder.record(new)
        try recorder.close()
        require(!model.isDamaged, "a damaged recording goes on")
    } catch {
        require(model.isDamaged && storage.bytes == bytes, "\(error)")
        return
    }
    let again = Contents(storage)
    require(!again.isDamaged && again.cutBytes == 0, "the recorder left damage")
    require(again.pieces.dropLast() == model.pieces[...], "what was there has changed")
    guard let last = again.pieces.last,
        let read = try? BodyDecoder.decode(Anything.self, from: last.body, keys: last.keys)
    else { fatalError("what was recorded cannot be read") }
    require(read == new, "\(read) was recorded")
}

/// The bytes that arrived come out again, until something else stands there.
private func checkArrivals(_ bytes: [UInt8], _ model: Contents) {
    let storage = PieceStorage(bytes, piece: 100)
    guard let source = try? ArrivalSource(storage, speed: .unpaced, interruption: nil) else { return }
    var expected: [UInt8] = []
    for piece in model.pieces {
        guard piece.type == ArrivalFormat.typeName,
            let range = ArrivalFormat.bytes(in: 0..<piece.body.count, of: piece.body)
        else { break }
        expected += piece.body[range]
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 1)
    defer { unsafe buffer.deallocate() }
    var found: [UInt8] = []
    while let count = unsafe try? source.read(into: buffer), count > 0 { unsafe found += buffer[..<count] }
    require(found == expected, "other bytes")
}

/// What was recorded is read, also of a recording that was cut; a byte that was changed is found.
func checkRecorder(_ input: inout Input) {
    let (place, change) = (Int(input.byte()) << 8 | Int(input.byte()), input.byte())
    let seed = UInt64(bitPattern: input.number())
    var generator = SeededGenerator(seed: seed)
    let storage = PieceStorage([], piece: 1 << 16)
    var events: [Everything] = []
    var document: Anything?
    do {
        let recorder = try EventRecorder(storage: { storage })
        for _ in 0..<seed % 3 {
            events.append(Everything.random(using: &generator))
            try recorder.record(events[events.count - 1])
        }
        if let content = try? JSONDecoder().decode(Document.self, from: Data(input.rest)) {
            let event = Anything(timestamp: .distantPast, content: content)
            document = event
            try recorder.record(event)
        }
        try recorder.close()
    } catch {
        // What is too deep is refused, and nothing of it is there.
        document = nil
    }
    let bytes = storage.bytes
    let whole = Contents(storage)
    require(!whole.isDamaged && whole.cutBytes == 0, "damage")
    require(whole.pieces.count == events.count + (document == nil ? 0 : 1), "other events")
    do {
        for (piece, event) in zip(whole.pieces, events) {
            let read = try BodyDecoder.decode(Everything.self, from: piece.body, keys: piece.keys)
            require(read == event, "\(read), and not \(event)")
        }
        if let document, let piece = whole.pieces.last {
            let read = try BodyDecoder.decode(Anything.self, from: piece.body, keys: piece.keys)
            require(read == document, "\(read), and not \(document)")
        }
    } catch {
        fatalError("\(error)")
    }
    let cut = Contents(PieceStorage(Array(bytes.prefix(place % (bytes.count + 1))), piece: 1 << 16))
    require(!cut.isDamaged && whole.pieces.starts(with: cut.pieces), "a cut recording says something else")
    guard change != 0 else { return }
    var changed = bytes
    changed[place % changed.count] ^= change
    let damaged = Contents(PieceStorage(changed, piece: 1 << 16))
    require(whole.pieces.starts(with: damaged.pieces), "a changed byte changes events")
    require(damaged.isDamaged || damaged.cutBytes > 0, "a changed byte is not found")
}

/// What a body says is refused, or is the same when it is written anew.
func checkBody(_ input: inout Input) {
    let isEverything = input.byte() & 1 == 1
    let keys = isEverything ? everythingKeys : ["a", "b", "", "timestamp", "content", "super"]
    let body = Array(input.rest)
    func check<Value: Codable & Equatable>(_ type: Value.Type) {
        guard let value = try? BodyDecoder.decode(type, from: body, keys: keys) else { return }
        do {
            let target = BodyTarget(BodyTarget.KeyTable(KeyIDs(keys)))
            try BodyEncoder(target, parent: nil, key: nil).write(value, at: nil)
            let read = try BodyDecoder.decode(type, from: target.bytes, keys: keys + target.keys.ids.unwritten)
            require(read == value || "\(read)" == "\(value)", "\(read), not \(value)")
        } catch {
            fatalError("\(error): \(value)")
        }
    }
    if isEverything { return check(Everything.self) }
    check(Document.self)
    check(Anything.self)
    check([String: Int].self)
    check([Int?].self)
    check(Set<UInt8>.self)
    check([Int: Float].self)
    check(Date.self)
    check(UUID.self)
    check(Data.self)
    check(Decimal.self)
    check(Int128.self)
    check(UInt64.self)
}

/// The keys of ``Everything``, in the order in which they are written.
private let everythingKeys: [String] = {
    var generator = SeededGenerator(seed: 1)
    let target = BodyTarget(BodyTarget.KeyTable(KeyIDs([])))
    do {
        try BodyEncoder(target, parent: nil, key: nil).write(Everything.random(using: &generator), at: nil)
    } catch {
        fatalError("\(error)")
    }
    return target.keys.ids.unwritten
}()
