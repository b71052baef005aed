internal import WeirRecording

/// Gives ids to the keys of keyed values, so that a recording says each name once.
struct KeyIDs {
    private var ids: [String: UInt64] = [:]
    private var givesNone = false

    /// Gives no ids: all keys stand in the body, which then needs nothing else to be read.
    static var none: KeyIDs {
        var ids = KeyIDs()
        ids.givesNone = true
        return ids
    }

    /// Keys that the recording does not know yet, in the order of their ids.
    private(set) var unwritten: [String] = []

    init(_ names: [String] = []) {
        for name in names { ids[name] = UInt64(ids.count + 1) }
    }

    /// The id of a key, a new one if need be; 0 when the key has to stand in the body.
    mutating func id(of name: String) -> UInt64 {
        if let id = ids[name] { return id }
        guard !givesNone, ids.count < RecordingFormat.mostKeys, name.utf8.count <= RecordingFormat.longestKey else {
            return 0
        }
        let id = UInt64(ids.count + 1)
        ids[name] = id
        unwritten.append(name)
        return id
    }

    mutating func markWritten() {
        unwritten.removeAll(keepingCapacity: true)
    }
}
