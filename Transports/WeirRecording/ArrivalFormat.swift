internal import WeirCore
internal import WeirRecords

/// How bytes that arrived somewhere stand in a recording: as events of one type, whose body is data.
///
/// Both times of such an event are that of its arrival.
enum ArrivalFormat {
    /// The name of the type, which no module can have.
    static let typeName = "weir arrival"

    /// How many bytes one event has at most, so that a frame has room for them.
    static let longest = 1 << 20

    /// The header of a recording, and the name of its type.
    static func start(creation: Timestamp) -> [UInt8] {
        var bytes = RecordingFormat.header(creation: creation.nanosecondsSinceEpoch)
        RecordingFormat.appendFrame(to: &bytes) { bytes in
            bytes.append(RecordingFormat.typeFrame)
            bytes.appendVariable(0)
            bytes.appendText(typeName)
        }
        return bytes
    }

    /// Appends the frame of bytes that arrived.
    static func append(_ piece: Span<UInt8>, arrival: Timestamp, to bytes: inout [UInt8]) {
        RecordingFormat.appendFrame(to: &bytes) { bytes in
            bytes.append(RecordingFormat.eventFrame)
            bytes.appendVariable(0)
            bytes.append(Priority.normal.rawValue)
            bytes.appendFixed(arrival.nanosecondsSinceEpoch)
            bytes.appendFixed(arrival.nanosecondsSinceEpoch)
            bytes.append(BodyFormat.data)
            bytes.appendVariable(UInt64(piece.count))
            for index in piece.indices { bytes.append(piece[index]) }
        }
    }

    /// The bytes in the body of an event.
    ///
    /// - Returns: Where they are; `nil` for a body that is something else.
    static func bytes(in body: Range<Int>, of window: [UInt8]) -> Range<Int>? {
        var cursor = ByteCursor(window, from: body.lowerBound, to: body.upperBound)
        guard cursor.byte() == BodyFormat.data, let run = cursor.run(), cursor.isAtEnd else { return nil }
        return run
    }
}

extension TransportError {
    /// What went wrong with a recording, as what it means for a transport.
    init(_ error: RecordingError, path: String, whileReading: Bool) {
        switch error {
        case .cannotOpen(let path, let reason): self = .cannotOpen(address: path, reason: reason)
        case .inUse(let path): self = .cannotOpen(address: path, reason: "another program records to it")
        case .readFailed(let path, let reason): self = .readFailed(address: path, reason: reason)
        case .writeFailed(let path, let reason): self = .writeFailed(address: path, reason: reason)
        default:
            self =
                whileReading
                ? .readFailed(address: path, reason: "\(error)") : .cannotOpen(address: path, reason: "\(error)")
        }
    }
}
