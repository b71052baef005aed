internal import WeirCore

/// Reads a file to its end, and what is written to it afterwards, also when it is replaced by a new one.
///
/// The file is looked at again and again, so it works on every file system. When another file takes its name, as log
/// rotation does, the old one is read to its end first; when it becomes shorter, it is read from its start. A line that
/// had no newline then gets one, so that it is not joined with another file's.
///
/// Safety: the descriptor is open from `init` to `deinit`, which closes the last one.
final class FollowingSource: TransportSource {
    let expectedByteCount: Int64? = nil
    let drainsWhenInterrupted = true
    let meter: TransportMeter? = TransportMeter()

    private let path: String
    private let pause: Int32
    private let interruption: Interruption?
    private let neverReady: Interruption?
    private var descriptor: Int32
    private var identity: SystemCalls.Facts?
    private var position: Int64 = 0
    private var isMidLine = false

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - descriptor: The file, open for reading; it belongs to the source, also when it throws.
    ///   - path: Its path.
    ///   - startsAtEnd: Whether what is in the file already is passed over.
    ///   - pause: How many milliseconds to wait before looking again.
    ///   - interruption: What ends the waiting, where something can.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for what is no file.
    init(
        _ descriptor: Int32,
        path: String,
        startsAtEnd: Bool,
        pause: Int32,
        interruption: Interruption?
    ) throws(TransportError) {
        self.descriptor = descriptor
        self.path = path
        self.pause = pause
        self.interruption = interruption
        if interruption == nil {
            do throws(TransportError) {
                neverReady = try Interruption()
            } catch {
                SystemCalls.closeDescriptor(descriptor)
                throw error
            }
        } else {
            neverReady = nil
        }
        identity = SystemCalls.facts(about: descriptor)
        guard let identity, identity.kind == .regularFile else {
            // The source exists, and closes the descriptor with it.
            throw .cannotOpen(address: path, reason: "only a file can be followed")
        }
        if startsAtEnd {
            position = SystemCalls.moveToEnd(of: descriptor)
        }
    }

    deinit {
        SystemCalls.closeDescriptor(descriptor)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            // Looked at before reading: what was written before the interruption is found by the read after it.
            let isInterrupted = interruption?.isTriggered ?? false
            let count = unsafe SystemCalls.readBytes(descriptor, into: buffer)
            if count > 0 {
                position += Int64(count)
                isMidLine = unsafe buffer[count - 1] != UInt8(ascii: "\n")
                return count
            }
            if count < 0 {
                let error = SystemCalls.lastError
                guard error == SystemCalls.interruptedCall else {
                    throw .readFailed(address: path, reason: SystemCalls.describe(error))
                }
                continue
            }
            if isInterrupted { throw .interrupted(address: path) }
            if changeFile() {
                guard isMidLine else { continue }
                isMidLine = false
                unsafe buffer[0] = UInt8(ascii: "\n")
                return 1
            }
            // Where nobody interrupts, something that is never triggered stands in.
            if let waited = interruption ?? neverReady {
                _ = SystemCalls.wait(for: waited.descriptor, milliseconds: pause)
            }
        }
    }

    /// Goes on with another file, or from the start, where the one that is open has come to its end.
    ///
    /// - Returns: Whether there may be more to read.
    private func changeFile() -> Bool {
        if let now = SystemCalls.facts(about: descriptor), now.byteCount < position {
            meter?.note("'\(path)' became shorter, so it is read from its start")
            position = SystemCalls.moveToStart(of: descriptor)
            return true
        }
        guard let there = SystemCalls.facts(about: path), let identity,
            there.device != identity.device || there.node != identity.node, there.kind == .regularFile
        else { return false }
        let next = SystemCalls.openForReading(path)
        guard next >= 0 else { return false }
        // What was written to the old file between its end and now.
        if let old = SystemCalls.facts(about: descriptor), old.byteCount > position {
            SystemCalls.closeDescriptor(next)
            return true
        }
        SystemCalls.closeDescriptor(descriptor)
        descriptor = next
        position = 0
        self.identity = SystemCalls.facts(about: next)
        return true
    }
}
