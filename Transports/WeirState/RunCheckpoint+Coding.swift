internal import WeirCore
internal import WeirRecording
internal import WeirRecords

// The file of a checkpoint: magic, version, sections with length and checksum, an end mark. All numbers are little-endian.
//
//     "WEIRCKPT"  version: 4 bytes
//     section:    length: 8 bytes · CRC-32C of the rest: 4 bytes · kind: 1 byte · contents
//     end:        length 1, of the kind `end`, with the number of bytes of the whole file behind it
//
// A kind that is not known belongs to a newer version, which says so by its number.

/// Why a file is no checkpoint that can be used.
package enum CheckpointFlaw: Error, Sendable, Equatable, CustomStringConvertible {
    /// It does not begin like one.
    case isNone
    /// A newer program wrote it.
    case isNewer(version: UInt32)
    /// It ends before its end mark, or something of it is not what was written.
    case isDamaged(at: Int)

    package var description: String {
        switch self {
        case .isNone: "it is no checkpoint"
        case .isNewer(let version):
            "it has version \(version) of the format; this program reads version \(RunCheckpoint.version)"
        case .isDamaged(let place): "it is damaged or cut off at byte \(place)"
        }
    }
}

extension RunCheckpoint {
    /// The version of the format that is written.
    package static let version: UInt32 = 1

    private static let magic = Array("WEIRCKPT".utf8)

    private enum Kind: UInt8 {
        case about = 1
        case input
        case output
        case consumer
        case part
        case end = 255
    }

    private static let headLength = 13

    // MARK: Writing

    /// The bytes of its file.
    package func encoded() -> [UInt8] {
        let pieces = encodedPieces()
        var file: [UInt8] = []
        file.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        // By `joined` byte after byte, which takes a hundred times as long.
        for piece in pieces { file += piece }
        return file
    }

    /// The bytes of its file, one piece after the other: what consumers know, which may be much, is not copied.
    package func encodedPieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var file = Self.magic
        file.appendFixed(Self.version)
        Self.append(.about, to: &file) { bytes in
            bytes.appendVariable(number)
            bytes.appendText(program)
            bytes.appendFixed(time)
            bytes.append(isFinished ? 1 : 0)
            bytes.appendVariable(UInt64(settings.count))
            for setting in settings {
                bytes.appendText(setting.name)
                bytes.appendText(setting.value)
            }
            bytes.appendVariable(UInt64(counts.count))
            for count in counts {
                bytes.appendText(count.name)
                bytes.appendVariable(count.value)
            }
        }
        for input in inputs { Self.append(.input, to: &file) { input.encode(to: &$0) } }
        for output in outputs { Self.append(.output, to: &file) { output.encode(to: &$0) } }
        for consumer in consumers {
            Self.append(.consumer, to: &file, before: consumer.bytes) { bytes in
                bytes.appendText(consumer.name)
                bytes.appendText(consumer.fingerprint)
                bytes.appendOptional(consumer.partialMatches.map(Int64.init))
                bytes.appendVariable(UInt64(consumer.bytes.count))
            }
            pieces += [file, Array(consumer.bytes)]
            file = []
        }
        for part in parts {
            Self.append(.part, to: &file) { bytes in
                bytes.appendText(part.name)
                bytes.appendRun(part.bytes)
            }
        }
        let length = UInt64(pieces.reduce(file.count) { $0 + $1.count } + Self.headLength + 8)
        Self.append(.end, to: &file) { $0.appendFixed(length) }
        return pieces + [file]
    }

    /// Appends a section, whose last bytes may follow elsewhere.
    private static func append(
        _ kind: Kind,
        to file: inout [UInt8],
        before rest: ArraySlice<UInt8> = [],
        _ body: (inout [UInt8]) -> Void
    ) {
        let start = file.count
        file.appendFixed(UInt64(0))
        file.appendFixed(UInt32(0))
        file.append(kind.rawValue)
        body(&file)
        let length = UInt64(file.count - start - headLength + rest.count)
        file.replaceFixed(UInt32(truncatingIfNeeded: length), at: start)
        file.replaceFixed(UInt32(truncatingIfNeeded: length >> 32), at: start + 4)
        let checksum = Checksum.of(file, start + 12..<file.count)
        file.replaceFixed(Checksum.of(rest, behind: checksum), at: start + 8)
    }

    // MARK: Reading

    /// Reads a file.
    ///
    /// - Throws: ``CheckpointFlaw``; nothing of a damaged file is used.
    package init(_ file: [UInt8]) throws(CheckpointFlaw) {
        self.init()
        guard file.starts(with: Self.magic) else {
            // What a full disk or a power cut left of one.
            throw file.allSatisfy { $0 == 0 } || Self.magic.starts(with: file) ? .isDamaged(at: 0) : .isNone
        }
        var cursor = ByteCursor(file, from: Self.magic.count, to: file.count)
        guard let version = cursor.fixed(UInt32.self) else { throw .isDamaged(at: file.count) }
        guard version == Self.version else {
            throw version > Self.version ? .isNewer(version: version) : .isDamaged(at: 8)
        }
        while true {
            let start = cursor.offset
            guard let length = cursor.fixed(UInt64.self), let checksum = cursor.fixed(UInt32.self),
                length < UInt64(file.count - cursor.offset),
                Checksum.of(file, start + 12..<start + Self.headLength + Int(length)) == checksum,
                let kind = cursor.byte().flatMap(Kind.init)
            else { throw .isDamaged(at: start) }
            var section = ByteCursor(file, from: cursor.offset, to: cursor.offset + Int(length))
            cursor.offset += Int(length)
            if kind == .end {
                guard section.fixed(UInt64.self) == UInt64(file.count), cursor.isAtEnd, section.isAtEnd else {
                    throw .isDamaged(at: start)
                }
                return
            }
            guard read(kind, &section) != nil, section.isAtEnd else { throw .isDamaged(at: start) }
        }
    }

    private mutating func read(_ kind: Kind, _ section: inout ByteCursor) -> Void? {
        switch kind {
        case .about: return readAbout(&section)
        case .input: return Input(&section).map { inputs.append($0) }
        case .output: return Output(&section).map { outputs.append($0) }
        case .consumer:
            guard let name = section.text(), let fingerprint = section.text(), let partial = section.optional(),
                let bytes = section.run()
            else { return nil }
            consumers.append(
                Consumer(
                    name: name,
                    fingerprint: fingerprint,
                    partialMatches: partial.value.map { Int(truncatingIfNeeded: $0) },
                    bytes: section.bytes[bytes]
                )
            )
        case .part:
            guard let name = section.text(), let bytes = section.run() else { return nil }
            parts.append(Part(name: name, bytes: Array(section.bytes[bytes])))
        case .end: return nil
        }
        return ()
    }

    private mutating func readAbout(_ section: inout ByteCursor) -> Void? {
        guard let number = section.variable(), let program = section.text(), let time = section.fixed(Int64.self),
            let isFinished = section.byte(), let settingCount = section.variable()
        else { return nil }
        (self.number, self.program, self.time, self.isFinished) = (number, program, time, isFinished == 1)
        for _ in 0..<settingCount {
            guard let name = section.text(), let value = section.text() else { return nil }
            settings.append(Setting(name: name, value: value))
        }
        guard let countCount = section.variable() else { return nil }
        for _ in 0..<countCount {
            guard let name = section.text(), let value = section.variable() else { return nil }
            counts.append((name: name, value: value))
        }
        return ()
    }
}

extension RunCheckpoint.Input {
    fileprivate func encode(to bytes: inout [UInt8]) {
        bytes.appendText(name)
        bytes.appendFixed(byteCount)
        switch place {
        case .unknown: bytes.append(0)
        case .bytes(let place):
            bytes.append(1)
            place.position.encode(to: &bytes)
            bytes.appendRun(place.prelude)
            bytes.appendRun(place.unread)
            bytes.appendVariable(place.line)
        case .records(let place):
            bytes.append(2)
            place.position.encode(to: &bytes)
            bytes.appendVariable(place.records)
            bytes.appendVariable(place.rejections)
        }
    }

    fileprivate init?(_ section: inout ByteCursor) {
        guard let name = section.text(), let byteCount = section.fixed(Int64.self), let form = section.byte() else {
            return nil
        }
        self.init(name: name, place: .unknown, byteCount: byteCount)
        guard form > 0 else { return }
        guard let position = SourcePosition(&section) else { return nil }
        switch form {
        case 1:
            guard let prelude = section.run(), let unread = section.run(), let line = section.variable() else {
                return nil
            }
            place = .bytes(
                RunCheckpoint.BytePlace(
                    position: position,
                    prelude: Array(section.bytes[prelude]),
                    unread: Array(section.bytes[unread]),
                    line: line
                )
            )
        case 2:
            guard let records = section.variable(), let rejections = section.variable() else { return nil }
            place = .records(
                RunCheckpoint.RecordPlace(position: position, records: records, rejections: rejections)
            )
        default: return nil
        }
    }
}

extension RunCheckpoint.Output {
    fileprivate func encode(to bytes: inout [UInt8]) {
        bytes.appendText(name)
        bytes.appendFixed(byteCount)
        bytes.appendFixed(node)
        bytes.appendOptional(finalByteCount)
    }

    fileprivate init?(_ section: inout ByteCursor) {
        guard let name = section.text(), let byteCount = section.fixed(Int64.self),
            let node = section.fixed(UInt64.self),
            let final = section.optional()
        else { return nil }
        self.init(
            name: name,
            byteCount: byteCount,
            node: node,
            finalByteCount: final.value
        )
    }
}

extension SourcePosition {
    fileprivate func encode(to bytes: inout [UInt8]) {
        bytes.appendFixed(offset)
        bytes.appendFixed(fileByteCount)
        bytes.appendFixed(node)
        bytes.appendRun(head)
        bytes.appendRun(tail)
        bytes.appendOptional(header == nil ? nil : 0)
        if let header { bytes.appendRun(header) }
    }

    fileprivate init?(_ section: inout ByteCursor) {
        guard let offset = section.fixed(Int64.self), let fileByteCount = section.fixed(Int64.self),
            let node = section.fixed(UInt64.self), let head = section.run(), let tail = section.run(),
            let hasHeader = section.optional()
        else { return nil }
        self.init(offset: offset)
        (self.fileByteCount, self.node) = (fileByteCount, node)
        (self.head, self.tail) = (Array(section.bytes[head]), Array(section.bytes[tail]))
        guard hasHeader.value != nil else { return }
        guard let header = section.run() else { return nil }
        self.header = Array(section.bytes[header])
    }
}

extension [UInt8] {
    fileprivate mutating func appendRun(_ bytes: [UInt8]) {
        appendVariable(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    fileprivate mutating func appendOptional(_ number: Int64?) {
        append(number == nil ? 0 : 1)
        if let number { appendFixed(number) }
    }
}

extension ByteCursor {
    fileprivate mutating func optional() -> (value: Int64?, Void)? {
        switch byte() {
        case 0: return (nil, ())
        case 1: return fixed(Int64.self).map { ($0, ()) }
        default: return nil
        }
    }
}
