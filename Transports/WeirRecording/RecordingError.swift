/// What can go wrong with a recording.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file cannot be opened or created.
    case cannotOpen(path: String, reason: String)
    /// Another recorder has the file open.
    case inUse(path: String)
    /// Reading broke off.
    case readFailed(path: String, reason: String)
    /// Writing broke off; what was not written waits in the recorder and is tried again by the next flush.
    case writeFailed(path: String, reason: String)
    /// The file is something else.
    case notARecording(path: String)
    /// The file was written by a later version of this module.
    case newerVersion(found: UInt32, supported: UInt32)
    /// The bytes at an offset of the file are not what was written there. What comes after them is not read.
    case corrupted(offset: Int, reason: String)
    /// An event cannot be put into bytes.
    case cannotEncode(type: String, reason: String)
    /// An event takes more bytes than a frame may have.
    case eventTooLarge(type: String, bytes: Int, limit: Int)
    /// Two types cannot be recorded under one name.
    case nameTaken(String)
    /// A recording names more types than it can.
    case tooManyTypes(limit: Int)
    /// The recorder was closed.
    case closed

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open '\(path)': \(reason)"
        case .inUse(let path): "'\(path)' is being recorded to by another program"
        case .readFailed(let path, let reason): "cannot read on from '\(path)': \(reason)"
        case .writeFailed(let path, let reason): "cannot write to '\(path)': \(reason)"
        case .notARecording(let path): "'\(path)' is not a recording"
        case .newerVersion(let found, let supported):
            "the recording has version \(found), newer than \(supported), the newest that can be read here"
        case .corrupted(let offset, let reason): "the recording is damaged at byte \(offset): \(reason)"
        case .cannotEncode(let type, let reason): "cannot encode an event of type \(type): \(reason)"
        case .eventTooLarge(let type, let bytes, let limit):
            "an event of type \(type) takes \(bytes) bytes, more than the limit of \(limit)"
        case .nameTaken(let name): "another type is already recorded as '\(name)'"
        case .tooManyTypes(let limit): "more than \(limit) event types in one recording"
        case .closed: "the recorder is closed"
        }
    }
}
