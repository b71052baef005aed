/// A source that hands out bytes from memory, made as they are asked for.
public final class ByteSource: TransportSource {
    private let next: () -> [UInt8]?
    private var pending: ArraySlice<UInt8> = []

    public let expectedByteCount: Int64?

    /// Creates a source of bytes that are already there.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: [UInt8]) {
        pending = bytes[...]
        next = { nil }
        expectedByteCount = Int64(bytes.count)
    }

    /// Creates a source of bytes that are made piece by piece.
    ///
    /// - Parameter next: Called for the next piece when the last one is used up; `nil` ends the source.
    public init(next: @escaping () -> [UInt8]?) {
        self.next = next
        expectedByteCount = nil
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while pending.isEmpty {
            guard let piece = next() else { return 0 }
            pending = piece[...]
        }
        let count = min(buffer.count, pending.count)
        unsafe buffer.copyBytes(from: pending.prefix(count))
        pending.removeFirst(count)
        return count
    }
}
