/// Forwards the bytes of a source, piece by piece.
package enum ByteCopy {
    /// Reads a source to its end.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: What the source or `body` throws.
    package static func run(
        from source: any TransportSource,
        _ body: (Span<UInt8>) throws(TransportError) -> Void
    ) throws(TransportError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        // Allocated above; nothing else refers to it.
        defer { unsafe buffer.deallocate() }
        while true {
            let count = unsafe try source.read(into: buffer)
            guard count > 0 else { return }
            // The source put `count` bytes there.
            let piece = unsafe UnsafeBufferPointer(
                start: UnsafePointer(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)),
                count: count
            )
            try body(unsafe piece.span)
        }
    }
}
