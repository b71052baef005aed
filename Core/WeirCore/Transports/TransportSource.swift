/// Where bytes come from.
///
/// A source is read by one thread at a time.
public protocol TransportSource: AnyObject {
    /// Reads some bytes, waiting for the first.
    ///
    /// - Parameter buffer: Where to put them; not empty.
    /// - Returns: How many bytes were put at the start of `buffer`; zero at the end.
    /// - Throws: ``TransportError`` when the source breaks off.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int

    /// How many bytes there are in all, where that is known beforehand.
    var expectedByteCount: Int64? { get }
}

/// Where bytes go.
///
/// A sink is written by one thread at a time.
public protocol TransportSink: AnyObject {
    /// Writes all of the bytes, waiting where it has to.
    ///
    /// - Parameter bytes: What to write.
    /// - Throws: ``TransportError``; ``TransportError/closed(address:)`` when nobody reads any more.
    func write(_ bytes: Span<UInt8>) throws(TransportError)
}

/// A kind of place that bytes come from or go to, such as `file:`.
public protocol Transport: Sendable {
    /// The part of the address before the colon.
    var scheme: String { get }

    /// One line for people.
    var summary: String { get }

    /// Opens a source.
    ///
    /// - Parameter address: The part of the address after the colon.
    /// - Returns: A source at the start of its bytes.
    /// - Throws: ``TransportError`` when it cannot be opened, or when the transport has no sources.
    func openSource(_ address: String) throws(TransportError) -> any TransportSource

    /// Opens a sink.
    ///
    /// - Parameter address: The part of the address after the colon.
    /// - Returns: A sink that nothing was written to yet.
    /// - Throws: ``TransportError`` when it cannot be opened, or when the transport has no sinks.
    func openSink(_ address: String) throws(TransportError) -> any TransportSink
}
