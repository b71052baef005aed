internal import WeirCore
internal import WeirRecords

/// Reads a file to its end, and what is written to it afterwards, also when it is replaced by a new one.
///
/// The system tells when there is something to read; where it does not, the file is looked at again and again, so this works
/// on every file system. When another file takes its name, as log rotation does, the old one is read on until there is
/// something in the new one: as long as there is not, the writer may not have opened it yet. Files that had the name only
/// between two reads are read too, under the names that they have by then.
///
/// A file that becomes shorter, or whose bytes before the current place or at its start are others than those that were
/// read, was emptied and filled again: it is read from its start. The bytes that are known to have been there unread are
/// counted as lost.
///
/// A last line that has no newline gets one when its file ends in one of these ways, so that it is not joined with another
/// file's: it is handed on like any other line.
///
/// Files that share a header all begin with the line that the first one begins with: it is handed out once.
///
/// Safety: the descriptor is open from `init` to `deinit`, which closes the last one.
final class FollowingSource: PositionedSource {
    let expectedByteCount: Int64? = nil
    var drainsWhenInterrupted: Bool { !(interruption?.isPaused ?? false) }
    let meter: TransportMeter?

    private let path: String
    private let pause: Int32
    private let interruption: Interruption?
    private let succession: FileSuccession
    private var descriptor: Int32
    private var watch: FileWatch.Mark?
    private var identity: SystemCalls.Facts
    private var offset: Int64 = 0
    private var isMidLine = false

    /// What the file began with, and what stood before the current place, as far as it was read.
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    /// Whether something else stands before the current place than was read.
    private var wasRewritten = false

    /// How long the file was when it was looked at last.
    private var seenByteCount: Int64 = 0

    /// The first line of the first file, as far as it was read; `nil` where it means nothing.
    private var header: [UInt8]?

    /// Whether the header of another file has still to be passed.
    private var isAtHeader = false

    /// What is handed out before the file is read on.
    private var pending: ArraySlice<UInt8> = []

    /// The longest header that files can share, in bytes.
    private static let headerLimit = 1 << 20

    /// How many bytes tell one content from another, at the start and before the current place.
    private static let markLength = 256

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - descriptor: The file, open for reading; it belongs to the source, also when it throws.
    ///   - path: Its path.
    ///   - startsAtEnd: Whether what is in the file already is passed over, but for the header where files share one.
    ///   - sharesHeader: Whether all files begin with the same line.
    ///   - pause: How many milliseconds to wait before looking again where the system tells nothing.
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
        guard let identity = SystemCalls.facts(about: descriptor), identity.kind == .regularFile else {
            SystemCalls.closeDescriptor(descriptor)
            throw .cannotOpen(address: path, reason: "only a file can be followed")
        }
        let meter = TransportMeter()
        self.descriptor = descriptor
        self.identity = identity
        self.path = path
        self.pause = pause
        self.interruption = interruption
        self.meter = meter
        succession = FileSuccession(of: path, meter)
        watch = succession.watch(descriptor)
        if sharesHeader { header = [] }
        if startsAtEnd { passContents() }
    }

    deinit {
        SystemCalls.closeDescriptor(descriptor)
    }

    var position: SourcePosition? {
        guard pending.isEmpty, !isAtHeader, !wasRewritten else { return nil }
        var position = SourcePosition(offset: offset)
        (position.node, position.fileByteCount) = (identity.node, seenByteCount)
        (position.head, position.tail, position.header) = (head, tail, header)
        return position
    }

    /// Goes on where another source was in the same file; nothing was read yet.
    ///
    /// - Parameters:
    ///   - position: Where the other one was.
    ///   - files: The files that had the name since, the oldest first, open for reading; they belong to the source.
    func goOn(at position: SourcePosition, before files: [Int32]) {
        (offset, seenByteCount) = (position.offset, max(position.offset, position.fileByteCount))
        // At the start of a file nothing of it was read.
        if offset > 0 { (head, tail, header) = (position.head, position.tail, position.header) }
        isMidLine = tail.last.map { $0 != UInt8(ascii: "\n") } ?? false
        succession.begin(with: files, after: identity)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if !pending.isEmpty {
            let count = min(buffer.count, pending.count)
            unsafe buffer.copyBytes(from: pending.prefix(count))
            pending.removeFirst(count)
            return count
        }
        while true {
            if let interruption, interruption.isPaused { throw .interrupted(address: path) }
            // Looked at before reading: what was written before the interruption is found by the read after it.
            let isInterrupted = interruption?.isTriggered ?? false
            // With each read: a file that is behind in reading may be replaced again and again meanwhile.
            succession.update(identity, looksAtPath: false)
            succession.hasNews = false
            if try passHeader() {
                let count = unsafe try readSome(into: buffer)
                if count > 0 { return count }
            }
            succession.update(identity, looksAtPath: true)
            if startOver() || changeFile() {
                guard isMidLine else { continue }
                isMidLine = false
                unsafe buffer[0] = UInt8(ascii: "\n")
                return 1
            }
            if isInterrupted { throw .interrupted(address: path) }
            // What was written after the read has been told by now, and would not wake.
            if succession.hasNews { continue }
            let wakers = [interruption?.sourceDescriptor, succession.wakeDescriptor].compactMap { $0 }
            _ = SystemCalls.wait(forAnyOf: wakers, milliseconds: pause)
        }
    }

    /// Reads what there is, if what stands before it is what was read before.
    ///
    /// - Returns: How many bytes; zero at the end, or where the contents are others.
    private func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let start = offset - Int64(tail.count)
        while true {
            var before = tail
            let total = unsafe before.withUnsafeMutableBytes { before in
                unsafe SystemCalls.readBytes(descriptor, at: start, into: before, and: buffer)
            }
            guard total >= 0 else {
                let error = SystemCalls.lastError
                guard error != SystemCalls.interruptedCall else { continue }
                throw .readFailed(address: path, reason: SystemCalls.describe(error))
            }
            guard total >= tail.count, before == tail else {
                wasRewritten = true
                return 0
            }
            let count = total - tail.count
            guard count > 0 else { return 0 }
            unsafe keep(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            if count == buffer.count { seenByteCount = SystemCalls.facts(about: descriptor)?.byteCount ?? 0 }
            return count
        }
    }

    /// Remembers what was read.
    private func keep(_ bytes: some RandomAccessCollection<UInt8>) {
        offset += Int64(bytes.count)
        isMidLine = bytes.last != UInt8(ascii: "\n")
        keepHeader(bytes)
        if head.count < Self.markLength { head += bytes.prefix(Self.markLength - head.count) }
        tail = Array((tail.suffix(max(0, Self.markLength - bytes.count)) + bytes.suffix(Self.markLength)))
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
        guard let end = SystemCalls.facts(about: descriptor)?.byteCount else { return }
        let length = Int(min(end, Int64(Self.markLength)))
        head = SystemCalls.readBytes(descriptor, at: 0, count: length)
        tail = SystemCalls.readBytes(descriptor, at: end - Int64(length), count: length)
        offset = end
    }

    /// Makes the next line the header once more, or for the first time where it was not complete.
    private func expectHeader() {
        isAtHeader = isHeaderComplete
        if header != nil, !isAtHeader { header = [] }
    }

    /// Passes the header of a file that is not the first, where that was not done yet.
    ///
    /// - Returns: False when it is not complete yet.
    private func passHeader() throws(TransportError) -> Bool {
        guard isAtHeader, let header else { return true }
        // However its line ends.
        let text = header.dropLast(header.suffix(2) == [0x0D, 0x0A] ? 2 : 1)
        let start = SystemCalls.readBytes(descriptor, at: 0, count: text.count + 2)
        let end = start.dropFirst(text.count).prefix { $0 != 0x0A }
        guard text.starts(with: start.prefix(text.count)), end.isEmpty || end == [0x0D] else {
            throw .readFailed(address: path, reason: "it begins with another header than the file before it")
        }
        let length = text.count + end.count + 1
        guard start.count >= length else { return false }
        offset = Int64(length)
        head = Array(start.prefix(length).prefix(Self.markLength))
        tail = Array(start.prefix(length).suffix(Self.markLength))
        isAtHeader = false
        return true
    }

    // MARK: Files

    /// Goes back to the start where the file was emptied, and filled again or not.
    ///
    /// - Returns: Whether it was.
    private func startOver() -> Bool {
        guard let now = SystemCalls.facts(about: descriptor) else { return false }
        let isOther =
            wasRewritten || now.byteCount < offset
            || SystemCalls.readBytes(descriptor, at: 0, count: head.count) != head
        let unread = max(0, seenByteCount - offset)
        seenByteCount = now.byteCount
        guard isOther else { return false }
        meter?.note(
            "'\(path)' was emptied"
                + (unread > 0 ? "; at least \(unread) bytes that were not read are lost" : "")
                + "; what was written to it after the last look, if anything, is lost too; it is read from its start"
        )
        meter?.update { $0.lostBytes += UInt64(unread) }
        restart()
        return true
    }

    private func restart() {
        offset = 0
        seenByteCount = 0
        wasRewritten = false
        head = []
        tail = []
        expectHeader()
    }

    /// Whether the writer has gone on to the next file.
    private var hasNext: Bool {
        guard let next = succession.waiting.first else { return false }
        return succession.waiting.count > 1 || SystemCalls.facts(about: next.descriptor)?.byteCount ?? 0 > 0
    }

    /// Goes on with the next file, where there is one and the one that is open has come to its end.
    ///
    /// - Returns: Whether there may be more to read.
    private func changeFile() -> Bool {
        guard hasNext else { return false }
        // What was written to the old file between its end and now.
        if let old = SystemCalls.facts(about: descriptor), old.byteCount > offset, !isAtHeader { return true }
        succession.unwatch(watch)
        SystemCalls.closeDescriptor(descriptor)
        let next = succession.removeFirst()
        (descriptor, identity, watch) = (next.descriptor, next.identity, next.watch)
        restart()
        return true
    }
}
