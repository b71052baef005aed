extension TransportSource {
    /// Reads the source to its end.
    ///
    /// - Parameters:
    ///   - limit: How many bytes there may be at most.
    ///   - address: What to call the source in errors.
    /// - Returns: All its bytes.
    /// - Throws: ``TransportError`` when the source breaks off, or has more bytes than the limit.
    /// - Complexity: O(*n*) for *n* bytes.
    public func readAll(limit: Int, address: String) throws(TransportError) -> [UInt8] {
        let capacity = 64 << 10
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        // Allocated above, of `capacity` bytes; nothing else refers to it.
        defer { unsafe buffer.deallocate() }
        var contents: [UInt8] = []
        while true {
            let count = unsafe try read(into: buffer)
            guard count > 0 else { return contents }
            guard contents.count + count <= limit else {
                throw .readFailed(address: address, reason: "it has more than \(limit) bytes")
            }
            // The source put `count` bytes there.
            unsafe contents.append(contentsOf: buffer[..<count])
        }
    }

    /// Reads the start of the source.
    ///
    /// - Parameter count: How many bytes to read, where there are as many.
    /// - Returns: The bytes, and whether there are no others.
    /// - Throws: ``TransportError`` when the source breaks off before the first byte; what comes before that is enough.
    package func readStart(_ count: Int) throws(TransportError) -> (bytes: [UInt8], isWhole: Bool) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        // Allocated above, of `count` bytes; nothing else refers to it.
        defer { unsafe buffer.deallocate() }
        var end = 0
        while end < count {
            let piece: Int
            do throws(TransportError) {
                piece = unsafe try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            } catch {
                guard end > 0 else { throw error }
                return unsafe ([UInt8](buffer[..<end]), false)
            }
            if piece == 0 { return unsafe ([UInt8](buffer[..<end]), true) }
            end += piece
        }
        return unsafe ([UInt8](buffer), false)
    }
}
