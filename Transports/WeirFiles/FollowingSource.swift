internal import WeirCore

/// Reads a file to its end, and what is written to it afterwards, also when it is replaced by a new one.
///
/// The file is looked at again and again, so it works on every file system. When another file takes its name, as log
/// rotation does, the old one is read on until there is something in the new one: as long as there is not, the writer may
/// not have opened it yet. When the file becomes shorter, it is read from its start. A line that had no newline then gets
/// one, so that it is not joined with another file's.
///
/// Files that share a header all begin with the line that the first one begins with: it is handed out once.
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

    /// The file that took the name and that people were told of, because it cannot be opened.
    private var unopenedNode: UInt64?

    /// The first line of the first file, as far as it was read; `nil` where it means nothing.
    private var header: [UInt8]?

    /// Whether the header of another file has still to be passed.
    private var isAtHeader = false

    /// What is handed out before the file is read on.
    private var pending: ArraySlice<UInt8> = []

    /// The longest header that files can share, in bytes.
    private static let headerLimit = 1 << 20

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - descriptor: The file, open for reading; it belongs to the source, also when it throws.
    ///   - path: Its path.
    ///   - startsAtEnd: Whether what is in the file already is passed over, but for the header where files share one.
    ///   - sharesHeader: Whether all files begin with the same line.
    ///   - pause: How many milliseconds to wait before looking again.
    ///   - interruption: What ends the waiting, where something can.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for what is no file.
    init(
        _ descriptor: Int32,
        path: String,
        startsAtEnd: Bool,
        sharesHeader: Bool,
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
        if sharesHeader { header = [] }
        if startsAtEnd { passContents() }
    }

    deinit {
        SystemCalls.closeDescriptor(descriptor)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if !pending.isEmpty {
            let count = min(buffer.count, pending.count)
            unsafe buffer.copyBytes(from: pending.prefix(count))
            pending.removeFirst(count)
            return count
        }
        while true {
            // Looked at before reading: what was written before the interruption is found by the read after it.
            let isInterrupted = interruption?.isTriggered ?? false
            if try passHeader() {
                let count = unsafe try readSome(into: buffer)
                if count > 0 { return count }
            }
            if changeFile() {
                guard isMidLine else { continue }
                isMidLine = false
                unsafe buffer[0] = UInt8(ascii: "\n")
                return 1
            }
            if isInterrupted { throw .interrupted(address: path) }
            // Where nobody interrupts, something that is never triggered stands in.
            if let waited = interruption ?? neverReady {
                _ = SystemCalls.wait(for: waited.descriptor, milliseconds: pause)
            }
        }
    }

    /// Reads what there is.
    ///
    /// - Returns: How many bytes; zero at the end.
    private func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = unsafe SystemCalls.readBytes(descriptor, into: buffer)
            if count > 0 {
                position += Int64(count)
                isMidLine = unsafe buffer[count - 1] != UInt8(ascii: "\n")
                unsafe keepHeader(buffer[..<count])
            }
            if count >= 0 { return count }
            let error = SystemCalls.lastError
            guard error == SystemCalls.interruptedCall else {
                throw .readFailed(address: path, reason: SystemCalls.describe(error))
            }
        }
    }

    // MARK: Headers

    private var isHeaderComplete: Bool { header?.last == UInt8(ascii: "\n") }

    /// Remembers the header, as long as it is not complete.
    private func keepHeader(_ bytes: some Collection<UInt8>) {
        guard let begun = header, !isHeaderComplete else { return }
        let line = bytes.firstIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? bytes[...]
        header = begun.count + line.count > Self.headerLimit ? nil : begun + line
    }

    /// Moves to the end, and hands out the header where there is one.
    ///
    /// A header that is not complete yet stays in the file: nothing else is in it.
    private func passContents() {
        while header != nil, !isHeaderComplete {
            let piece = SystemCalls.readBytes(descriptor, at: Int64(header?.count ?? 0), count: 4096)
            guard !piece.isEmpty else {
                header = []
                return
            }
            keepHeader(piece)
        }
        pending = (header ?? [])[...]
        position = SystemCalls.moveToEnd(of: descriptor)
    }

    /// Has the next line be the header once more, or for the first time where it was not complete.
    private func expectHeader() {
        isAtHeader = isHeaderComplete
        if header != nil, !isAtHeader { header = [] }
    }

    /// Passes the header of a file that is not the first, where that was not done yet.
    ///
    /// - Returns: False when it is not complete yet.
    private func passHeader() throws(TransportError) -> Bool {
        guard isAtHeader, let header else { return true }
        let start = SystemCalls.readBytes(descriptor, at: 0, count: header.count)
        guard header.starts(with: start) else {
            throw .readFailed(address: path, reason: "it begins with another header than the file before it")
        }
        guard start.count == header.count else { return false }
        position = SystemCalls.move(descriptor, to: Int64(header.count))
        isAtHeader = false
        return true
    }

    // MARK: Files

    /// Goes on with another file, or from the start, where the one that is open has come to its end.
    ///
    /// - Returns: Whether there may be more to read.
    private func changeFile() -> Bool {
        if let now = SystemCalls.facts(about: descriptor), now.byteCount < position {
            meter?.note("'\(path)' became shorter, so it is read from its start")
            position = SystemCalls.move(descriptor, to: 0)
            expectHeader()
            return true
        }
        guard let there = SystemCalls.facts(about: path), let identity,
            there.device != identity.device || there.node != identity.node, there.kind == .regularFile,
            there.byteCount > 0
        else { return false }
        let next = SystemCalls.openForReading(path)
        guard next >= 0 else {
            let reason = SystemCalls.describe(SystemCalls.lastError)
            if unopenedNode != there.node {
                meter?.note("'\(path)' is another file now and cannot be opened: \(reason)")
            }
            unopenedNode = there.node
            return false
        }
        // What was written to the old file between its end and now.
        if let old = SystemCalls.facts(about: descriptor), old.byteCount > position {
            SystemCalls.closeDescriptor(next)
            return true
        }
        SystemCalls.closeDescriptor(descriptor)
        descriptor = next
        position = 0
        expectHeader()
        self.identity = SystemCalls.facts(about: next)
        return true
    }
}
