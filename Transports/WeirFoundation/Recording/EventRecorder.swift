public import WeirCore
// The errors of recordings and the speeds of replays are those of the format.
@_exported public import WeirRecording

/// Writes events with their times to a file, from which an ``EventReplayer`` can play them again.
///
///     let recorder = try EventRecorder(path: "readings.recording")
///     try recorder.record(Reading(timestamp: .epoch, celsius: 31), priority: .high)
///     try recorder.close()
///
/// A recorder that opens an existing recording goes on after its last whole event. A tail that was never completed, as
/// a killed process or a full disk leave it, is cut and counted in ``cutBytes``. A recording that is damaged before its
/// end is refused.
///
/// Events wait in a buffer until the ``FlushPolicy`` has them written. With `synchronizes`, each flush also waits until
/// the disk has them, so that they survive a loss of power. When writing fails the error is thrown, what was written in
/// part is removed from the file, and the buffered events are written by the next flush that succeeds.
///
/// Types are told apart by name: the one given to ``register(_:named:)``, or else the module's and the type's own.
///
/// Thread safety: all members may be called from any thread; they wait for each other. The `encode(to:)` of an event
/// runs meanwhile and must not call the recorder.
///
/// - Complexity: recording is O(*n*) for *n* encoded bytes. Memory is bounded by the largest event, the buffer, and one
///   entry per type and key.
public final class EventRecorder: Sendable {
    private static let bufferLength = 1 << 16

    /// The recorder's state, under its lock.
    private struct State {
        var storage: (any RecordingStorage)?
        var fileLength: Int
        var fileHasTornTail = false
        var buffer: [UInt8] = []
        var bufferedEvents = 0
        var typeIDs: [String: Int] = [:]
        var types: [ObjectIdentifier: (id: Int, name: String)] = [:]
        var body: BodyTarget
        var recordedCount = 0
    }

    /// How many bytes of an incomplete tail were removed from the file when it was opened.
    public let cutBytes: Int

    /// When the recorder hands events to the operating system.
    public let flushPolicy: FlushPolicy

    /// Whether each flush waits for the disk.
    public let synchronizes: Bool

    private let clock: any TimeSource
    private let state: Locked<State>

    /// Opens a recording to add to, or creates it.
    ///
    /// - Parameters:
    ///   - path: The file. While it is open no other recorder can open it.
    ///   - flushPolicy: When events are handed to the operating system.
    ///   - synchronizes: Whether each flush waits until the disk has the events.
    ///   - clock: Says when an event is dispatched, if ``record(_:priority:dispatchedAt:)`` is not told.
    /// - Throws: `RecordingError`.
    /// - Complexity: O(*n*) for a file of *n* bytes, which is read and checked.
    public convenience init(
        path: String,
        flushPolicy: FlushPolicy = .whenFull,
        synchronizes: Bool = false,
        clock: any TimeSource = WallClock()
    ) throws(RecordingError) {
        try self.init(
            storage: { () throws(RecordingError) in try FileStorage(path: path, writing: true) },
            flushPolicy: flushPolicy,
            synchronizes: synchronizes,
            clock: clock
        )
    }

    package init(
        storage makeStorage: () throws(RecordingError) -> any RecordingStorage,
        flushPolicy: FlushPolicy = .whenFull,
        synchronizes: Bool = false,
        clock: any TimeSource = WallClock()
    ) throws(RecordingError) {
        let storage = try makeStorage()
        var contents = try RecordingContents(storage)
        while try contents.next() != nil {}
        var length = contents.scanner.offset
        if contents.scanner.cutBytes > 0 { try storage.truncate(to: length) }
        if length == 0 {
            // Written at once, so that a file that exists can be recognised.
            let header = RecordingFormat.header(creation: clock.now().nanosecondsSinceEpoch)
            try storage.append(header)
            if synchronizes { try storage.synchronize() }
            length = header.count
        }
        var state = State(
            storage: storage,
            fileLength: length,
            body: BodyTarget(BodyTarget.KeyTable(KeyIDs(contents.keys)))
        )
        for (id, name) in contents.types.enumerated() { state.typeIDs[name] = id }
        cutBytes = contents.scanner.cutBytes
        self.flushPolicy = flushPolicy
        self.synchronizes = synchronizes
        self.clock = clock
        self.state = Locked(state)
    }

    deinit {
        // `close()` tells whether this works.
        try? close()
    }

    /// How many events this recorder has taken.
    public var recordedCount: Int { state.withLock { $0.recordedCount } }

    /// Gives a type the name by which it is found in the recording.
    ///
    /// - Parameters:
    ///   - type: The type; before its first event, or it has its default name already.
    ///   - name: The name.
    /// - Throws: `RecordingError/nameTaken(_:)` or `RecordingError/tooManyTypes(limit:)`.
    public func register<E: Event & Codable>(_ type: E.Type, named name: String) throws(RecordingError) {
        try state.withLock { (state) throws(RecordingError) in
            guard state.storage != nil else { throw .closed }
            if let known = state.types[ObjectIdentifier(type)], known.name == name { return }
            _ = try Self.add(ObjectIdentifier(type), name, &state)
        }
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: The priority with which it was dispatched.
    ///   - dispatchTime: When it was dispatched; nil for now.
    /// - Throws: `RecordingError/cannotEncode(type:reason:)` or `RecordingError/eventTooLarge(type:bytes:limit:)`,
    ///   and then the event is not recorded; `RecordingError/writeFailed(path:reason:)`, after which it is if
    ///   ``recordedCount`` has grown; `RecordingError/closed`.
    public func record<E: Event & Codable>(
        _ event: E,
        priority: Priority = .normal,
        dispatchedAt dispatchTime: Timestamp? = nil
    ) throws(RecordingError) {
        try state.withLock { (state) throws(RecordingError) in
            guard state.storage != nil else { throw .closed }
            // After a failed flush: make room first, so that the buffer stays bounded.
            if state.buffer.count >= Self.bufferLength { try flush(&state) }
            let type = try self.type(of: E.self, &state)
            try Self.encode(event, named: type.name, &state)
            let time = dispatchTime ?? clock.now()
            RecordingFormat.appendFrame(to: &state.buffer) { bytes in
                bytes.append(RecordingFormat.eventFrame)
                bytes.appendVariable(UInt64(type.id))
                bytes.append(priority.rawValue)
                bytes.appendFixed(event.timestamp.nanosecondsSinceEpoch)
                bytes.appendFixed(time.nanosecondsSinceEpoch)
                bytes.append(contentsOf: state.body.bytes)
            }
            state.recordedCount += 1
            state.bufferedEvents += 1
            if wantsFlush(state) { try flush(&state) }
        }
    }

    /// Passes all events to the operating system, and to the disk if the recorder synchronizes.
    ///
    /// - Throws: `RecordingError/writeFailed(path:reason:)` or `RecordingError/closed`.
    public func flush() throws(RecordingError) {
        try state.withLock { (state) throws(RecordingError) in
            guard state.storage != nil else { throw .closed }
            try flush(&state)
        }
    }

    /// Flushes and closes the file; closing again does nothing.
    ///
    /// - Throws: `RecordingError/writeFailed(path:reason:)`; the recorder is closed all the same, and the events that
    ///   were still buffered are lost.
    public func close() throws(RecordingError) {
        try state.withLock { (state) throws(RecordingError) in
            guard state.storage != nil else { return }
            defer { state.storage = nil }
            try flush(&state)
        }
    }

    private func wantsFlush(_ state: borrowing State) -> Bool {
        if state.buffer.count >= Self.bufferLength { return true }
        return switch flushPolicy {
        case .everyEvents(let count): state.bufferedEvents >= count
        case .everyBytes(let count): state.buffer.count >= count
        case .whenFull: false
        }
    }

    private func flush(_ state: inout State) throws(RecordingError) {
        guard let storage = state.storage, !state.buffer.isEmpty else { return }
        if state.fileHasTornTail {
            try storage.truncate(to: state.fileLength)
            state.fileHasTornTail = false
        }
        do throws(RecordingError) {
            try storage.append(state.buffer)
        } catch {
            state.fileHasTornTail = true
            do throws(RecordingError) {
                try storage.truncate(to: state.fileLength)
                state.fileHasTornTail = false
            } catch {
                // Tried again by the next flush; until then readers see a torn tail.
            }
            throw error
        }
        state.fileLength += state.buffer.count
        state.buffer.removeAll(keepingCapacity: true)
        state.bufferedEvents = 0
        if synchronizes { try storage.synchronize() }
    }

    private func type<E>(of type: E.Type, _ state: inout State) throws(RecordingError) -> (id: Int, name: String) {
        if let known = state.types[ObjectIdentifier(type)] { return known }
        return try Self.add(ObjectIdentifier(type), String(reflecting: type), &state)
    }

    private static func add(
        _ type: ObjectIdentifier,
        _ name: String,
        _ state: inout State
    ) throws(RecordingError) -> (id: Int, name: String) {
        guard !state.types.values.contains(where: { $0.name == name }) else { throw .nameTaken(name) }
        if let id = state.typeIDs[name] {
            state.types[type] = (id, name)
            return (id, name)
        }
        let id = state.typeIDs.count
        guard id < RecordingFormat.mostTypes else { throw .tooManyTypes(limit: RecordingFormat.mostTypes) }
        RecordingFormat.appendFrame(to: &state.buffer) { bytes in
            bytes.append(RecordingFormat.typeFrame)
            bytes.appendVariable(UInt64(id))
            bytes.appendText(name)
        }
        state.typeIDs[name] = id
        state.types[type] = (id, name)
        return (id, name)
    }

    /// Encodes an event into the body, and writes the names of keys that it is the first to have.
    private static func encode<E: Encodable>(
        _ event: E,
        named name: String,
        _ state: inout State
    ) throws(RecordingError) {
        let body = state.body
        body.bytes.removeAll(keepingCapacity: true)
        do {
            try BodyEncoder(body, parent: nil, key: nil).write(event, at: nil)
        } catch {
            throw .cannotEncode(type: name, reason: "\(error)")
        }
        let keys = body.keys.ids.unwritten
        if !keys.isEmpty {
            RecordingFormat.appendFrame(to: &state.buffer) { bytes in
                bytes.append(RecordingFormat.keysFrame)
                bytes.appendVariable(UInt64(keys.count))
                for key in keys { bytes.appendText(key) }
            }
            body.keys.ids.markWritten()
        }
        let limit = RecordingFormat.largestPayload - 32
        guard body.bytes.count <= limit else {
            throw .eventTooLarge(type: name, bytes: body.bytes.count, limit: limit)
        }
    }
}

/// When a recorder hands what it has to the operating system.
///
/// What was handed over survives the death of the process; see ``EventRecorder`` for the death of the machine.
public enum FlushPolicy: Sendable, Hashable {
    /// After this number of events.
    case everyEvents(Int)
    /// As soon as this number of bytes waits.
    case everyBytes(Int)
    /// Only when the recorder's buffer of 64 KiB is full, when asked to, and when it is closed.
    case whenFull
}
