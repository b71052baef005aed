/// A source that remembers its first line, so that its reading can begin again in the middle.
///
/// Blank lines before the first one are skipped, as readers of headers do.
///
/// Safety of `@unchecked Sendable`: one thread at a time reads it. What hands it to another thread has ended its own
/// reading before, and a lock or the end of the thread lies between.
package final class HeadKeepingSource: TransportSource, @unchecked Sendable {
    private let source: any TransportSource

    /// What is handed out before the source is read on.
    private var prefix: ArraySlice<UInt8> = []

    /// How many bytes at the start of what is in front are of the head that is handed out again.
    private var headByteCount = 0

    /// Whether what comes is the rest of a line that is left out.
    private var isInRefusedLine = false

    /// What was read ahead, and not handed out yet.
    private var ahead: ArraySlice<UInt8> = []

    /// The first bytes, once they were looked at.
    private var start: [UInt8]?

    private var kept: [UInt8] = []
    private var isInQuotes = false
    private var isComplete: Bool

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - keepsHead: Whether the first line says what the others mean, as a header does.
    ///   - bytes: What was read from the source already, and is handed out before what it has left.
    package init(_ source: any TransportSource, keepsHead: Bool, after bytes: [UInt8] = []) {
        self.source = source
        isComplete = !keepsHead
        prefix = bytes[...]
    }

    /// Creates a source that goes on where another one was.
    ///
    /// - Parameters:
    ///   - source: What follows.
    ///   - head: The first line, where it says what the others mean.
    ///   - bytes: What comes before that.
    ///   - byteCount: How many bytes were read until now.
    package init(_ source: any TransportSource, goingOnAfter head: [UInt8], _ bytes: [UInt8], byteCount: Int64) {
        self.source = source
        kept = head
        isComplete = true
        prefix = bytes[...]
        self.byteCount = byteCount
        earlierByteCount = byteCount
    }

    /// Where the source is, and what of its bytes was not handed out; `nil` where the place cannot be found again.
    package var position: (position: SourcePosition, unread: [UInt8])? {
        // The head is no part of the source's bytes where it is handed out again.
        guard headByteCount == 0, !isInRefusedLine, let position = (source as? any PositionedSource)?.position else {
            return nil
        }
        return (position, Array(prefix) + ahead)
    }

    /// The first line with its end; empty where it means nothing, `nil` while it is not complete.
    package var head: [UInt8]? { isComplete ? kept : nil }

    /// Waits for the first line, or as much of it as one may want to know; it is handed out like all others.
    ///
    /// - Parameter limit: How many bytes are enough.
    /// - Returns: The bytes until the end of a line, also when the source was read further since the first call.
    /// - Throws: ``TransportError`` when the source breaks off.
    package func firstLines(limit: Int) throws(TransportError) -> [UInt8] {
        if let start { return start }
        let newline = UInt8(ascii: "\n")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 1)
        // Allocated above; nothing else refers to it.
        defer { unsafe buffer.deallocate() }
        while ahead.count < limit, !ahead.contains(newline) {
            let count = unsafe try source.read(into: buffer)
            guard count > 0 else { break }
            unsafe ahead += buffer[..<count]
        }
        let bytes = ahead.prefix(limit)
        let lines = bytes.lastIndex(of: newline).map { bytes[...$0] } ?? bytes
        start = Array(lines)
        return Array(lines)
    }

    /// Keeps no first line after all; nothing was handed out yet.
    package func forgetHead() {
        isComplete = true
        kept = []
    }

    /// Whether an interruption of the source is no more than a pause; `nil` where there are none.
    package var isHeldBack: (@Sendable () -> Bool)?

    /// How many bytes the source gave so far.
    package private(set) var byteCount: Int64 = 0

    package var expectedByteCount: Int64? { source.expectedByteCount.map { $0 + earlierByteCount } }

    /// How many bytes another source gave before this one.
    private var earlierByteCount: Int64 = 0

    package var meter: TransportMeter? { source.meter }

    package var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    /// Has the next reader begin with the first line, and go on where the last one ended.
    ///
    /// - Parameters:
    ///   - unread: What the last reader has read and not decoded; it has decoded the first line if that was handed out as a
    ///     whole.
    ///   - isInRefusedLine: Whether the last reader has rejected the start of a line whose end is still to come: then the
    ///     rest of that line is left out.
    package func beginAnew(before unread: [UInt8], insideRefusedLine isInRefusedLine: Bool = false) {
        if isInRefusedLine {
            prefix = unread + prefix
            self.isInRefusedLine = true
            dropRefusedLine()
            prefix = kept + prefix
            headByteCount = kept.count
        } else if headByteCount > 0 || !isComplete {
            // The first line is still among what the reader returns, or what is left.
            prefix = unread + prefix
            if headByteCount > 0 { headByteCount += unread.count }
        } else {
            prefix = kept + unread + prefix
            headByteCount = kept.count
        }
    }

    /// Drops the rest of the refused line, as far as it is in front.
    private func dropRefusedLine() {
        let end = prefix.firstIndex(of: UInt8(ascii: "\n"))
        isInRefusedLine = end == nil
        prefix = end.map { prefix[($0 + 1)...] } ?? []
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if !prefix.isEmpty {
            let count = min(buffer.count, prefix.count)
            unsafe buffer.copyBytes(from: prefix.prefix(count))
            prefix.removeFirst(count)
            headByteCount = max(0, headByteCount - count)
            return count
        }
        while true {
            let count = unsafe try readOn(into: buffer)
            byteCount += Int64(count)
            if !isComplete { unsafe keep(buffer[..<count]) }
            guard isInRefusedLine, count > 0 else { return count }
            guard let end = unsafe buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) else { continue }
            isInRefusedLine = false
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[(end + 1)..<count])
            guard rest.count > 0 else { continue }
            unsafe buffer.copyMemory(from: rest)
            return rest.count
        }
    }

    private func readOn(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        guard !ahead.isEmpty else { return unsafe try source.read(into: buffer) }
        let count = min(buffer.count, ahead.count)
        unsafe buffer.copyBytes(from: ahead.prefix(count))
        ahead.removeFirst(count)
        return count
    }

    private func keep(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
        for place in unsafe 0..<bytes.count {
            // Below the slice's count, counted from its start.
            let byte = unsafe bytes[bytes.startIndex + place]
            kept.append(byte)
            if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
            guard byte == UInt8(ascii: "\n"), !isInQuotes else { continue }
            guard isBlank else {
                isComplete = true
                return
            }
            kept.removeAll()
        }
    }

    /// Whether the line that was kept has nothing but its end, and perhaps a byte order mark.
    private var isBlank: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let line = kept.starts(with: mark) ? kept.dropFirst(mark.count) : kept[...]
        return line.elementsEqual("\n".utf8) || line.elementsEqual("\r\n".utf8)
    }
}
