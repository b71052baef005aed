package import WeirCore

/// What the frames of a recording say, one after the other.
package struct RecordingContents {
    /// A frame that is an event.
    package struct EventFrame {
        package let type: Int
        package let eventTime: Int64
        package let dispatchTime: Int64
        package let priority: Priority
        package let body: Range<Int>
    }

    package private(set) var scanner: FrameScanner
    package private(set) var types: [String] = []
    package private(set) var keys: [String] = []
    // Recorders find the number of a name; two of a kind would tell them a wrong one.
    private var typeNames: Set<String> = []
    private var keyNames: Set<String> = []
    private var failure: RecordingError?

    package init(_ storage: any RecordingStorage) throws(RecordingError) {
        scanner = try FrameScanner(storage)
    }

    /// Takes in the names up to the next event; nil at the end.
    ///
    /// After an error it throws the same again.
    package mutating func next() throws(RecordingError) -> EventFrame? {
        if let failure { throw failure }
        do throws(RecordingError) {
            return try advance()
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func advance() throws(RecordingError) -> EventFrame? {
        while true {
            let offset = scanner.offset
            guard let payload = try scanner.next() else { return nil }
            var cursor = ByteCursor(scanner.bytes, from: payload.lowerBound, to: payload.upperBound)
            var isUnderstood = false
            switch cursor.byte() {
            case RecordingFormat.typeFrame:
                isUnderstood = takeType(&cursor)
            case RecordingFormat.keysFrame:
                isUnderstood = takeKeys(&cursor)
            case RecordingFormat.eventFrame:
                if let frame = event(&cursor) { return frame }
            default:
                break
            }
            guard isUnderstood else { throw .corrupted(offset: offset, reason: "a frame without sense") }
        }
    }

    private mutating func takeType(_ cursor: inout ByteCursor) -> Bool {
        guard cursor.variable() == UInt64(types.count), let name = cursor.text(), cursor.isAtEnd else { return false }
        guard types.count < RecordingFormat.mostTypes, typeNames.insert(name).inserted else { return false }
        types.append(name)
        return true
    }

    private mutating func takeKeys(_ cursor: inout ByteCursor) -> Bool {
        guard let count = cursor.variable(), count <= UInt64(RecordingFormat.mostKeys) else { return false }
        for _ in 0..<count {
            guard let name = cursor.text(), keyNames.insert(name).inserted else { return false }
            keys.append(name)
        }
        return cursor.isAtEnd && keys.count <= RecordingFormat.mostKeys
    }

    private func event(_ cursor: inout ByteCursor) -> EventFrame? {
        guard
            let type = cursor.variable(), type < UInt64(types.count),
            let priority = cursor.byte().flatMap(Priority.init(rawValue:)),
            let eventTime = cursor.fixed(Int64.self),
            let dispatchTime = cursor.fixed(Int64.self)
        else { return nil }
        return EventFrame(
            type: Int(type),
            eventTime: eventTime,
            dispatchTime: dispatchTime,
            priority: priority,
            body: cursor.offset..<cursor.end
        )
    }
}
