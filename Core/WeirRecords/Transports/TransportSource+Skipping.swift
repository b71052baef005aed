extension TransportSource {
    /// Reads bytes and forgets them.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - address: What to call the source.
    /// - Throws: ``TransportError`` when it breaks off, or has fewer.
    package func skip(_ count: Int64, address: String) throws(TransportError) {
        var buffer = [UInt8](repeating: 0, count: Int(min(max(count, 1), 64 << 10)))
        var rest = count
        while rest > 0 {
            let wanted = Int(min(Int64(buffer.count), rest))
            let found = unsafe try buffer.withUnsafeMutableBufferPointer { buffer throws(TransportError) in
                try unsafe read(into: UnsafeMutableRawBufferPointer(buffer.extracting(0..<wanted)))
            }
            guard found > 0 else {
                throw .cannotOpen(
                    address: address,
                    reason: "it has become shorter: \(count - rest) bytes, and \(count) were read before"
                )
            }
            rest -= Int64(found)
        }
    }
}

/// A source whose bytes are the same each time, so that their number says where it is.
package final class CountedSource: PositionedSource {
    private let source: any TransportSource
    private var place: SourcePosition

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - source: Has the bytes.
    ///   - position: Where it is, and which file it reads.
    package init(_ source: any TransportSource, at position: SourcePosition) {
        self.source = source
        place = position
    }

    package var position: SourcePosition? { place }

    package var expectedByteCount: Int64? { source.expectedByteCount }

    package var meter: TransportMeter? { source.meter }

    package var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let count = unsafe try source.read(into: buffer)
        place.offset += Int64(count)
        return count
    }
}
