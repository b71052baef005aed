/// A source that begins with bytes that were already read from another one, and goes on with the rest of that.
public final class ReplayedSource: TransportSource {
    private let head: ByteSource
    private let rest: any TransportSource
    private var isInRest = false

    public let expectedByteCount: Int64?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - bytes: What was read.
    ///   - rest: Where it was read from.
    public init(_ bytes: [UInt8], then rest: any TransportSource) {
        head = ByteSource(bytes)
        self.rest = rest
        expectedByteCount = rest.expectedByteCount
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if !isInRest {
            let count = unsafe try head.read(into: buffer)
            if count > 0 { return count }
            isInRest = true
        }
        return unsafe try rest.read(into: buffer)
    }
}
