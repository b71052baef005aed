/// A source that remembers its first line, so that its reading can begin again in the middle.
///
/// Blank lines before the first one are skipped, as readers of headers do.
package final class HeadKeepingSource: TransportSource {
    private let source: any TransportSource
    private var prefix: ByteSource?
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
        prefix = bytes.isEmpty ? nil : ByteSource(bytes)
    }

    /// The first line with its end; empty where it means nothing, `nil` while it is not complete.
    package var head: [UInt8]? { isComplete ? kept : nil }

    /// How many bytes the source gave so far.
    package private(set) var byteCount: Int64 = 0

    package var expectedByteCount: Int64? { source.expectedByteCount }

    package var meter: TransportMeter? { source.meter }

    package var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    /// Returns bytes before those that the source has left.
    package func prepend(_ bytes: [UInt8]) {
        prefix = ByteSource(bytes)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if let prefix {
            let count = unsafe try prefix.read(into: buffer)
            if count > 0 { return count }
            self.prefix = nil
        }
        let count = unsafe try source.read(into: buffer)
        byteCount += Int64(count)
        if !isComplete { unsafe keep(buffer[..<count]) }
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
