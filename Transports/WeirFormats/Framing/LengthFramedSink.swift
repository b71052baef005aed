public import WeirRecords

/// Puts each line that is written into a frame that starts with its length, without its newline; see ``Framing/length``.
///
///     import WeirRecords
///     import WeirSockets
///
///     let sink = LengthFramedSink(try UnixTransport().openSink("/run/matches.sock?framing=length"))
///     try sink.write(Array("one\ntwo\n".utf8))    // 0 0 0 3 o n e 0 0 0 3 t w o
///
/// The beginning of a line whose end is still to be written is kept until then, so its memory grows with the longest line.
///
/// Thread safety: one thread at a time.
public final class LengthFramedSink: TransportSink {
    private let base: any TransportSink
    private var line: [UInt8] = []

    /// Creates the sink.
    ///
    /// - Parameter base: Takes the frames.
    public init(_ base: any TransportSink) {
        self.base = base
    }

    public var meter: TransportMeter? { base.meter }

    public func write(_ bytes: Span<UInt8>) throws(TransportError) {
        var frames: [UInt8] = []
        frames.reserveCapacity(bytes.count + Framing.lengthByteCount * 16)
        for index in bytes.indices {
            guard bytes[index] == UInt8(ascii: "\n") else {
                line.append(bytes[index])
                continue
            }
            endLine(into: &frames)
        }
        guard !frames.isEmpty else { return }
        try base.write(frames)
    }

    public func finish() throws(TransportError) {
        if !line.isEmpty {
            var frames: [UInt8] = []
            endLine(into: &frames)
            try base.write(frames)
        }
        try base.finish()
    }

    private func endLine(into frames: inout [UInt8]) {
        let length = UInt32(line.count)
        for shift in stride(from: 24, through: 0, by: -8) {
            frames.append(UInt8(truncatingIfNeeded: length >> UInt32(shift)))
        }
        frames.append(contentsOf: line)
        line.removeAll(keepingCapacity: true)
    }
}
