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

    /// What the source counts, where it takes in messages that can get lost.
    var meter: TransportMeter? { get }

    /// Whether an interruption has the source hand out what it has before it throws
    /// ``TransportError/interrupted(address:)``, so that its reader goes on until then.
    var drainsWhenInterrupted: Bool { get }
}

extension TransportSource {
    public var meter: TransportMeter? { nil }
    public var drainsWhenInterrupted: Bool { false }
}

/// Where bytes go.
///
/// A sink is written by one thread at a time.
public protocol TransportSink: AnyObject {
    /// Writes all of the bytes, waiting where it has to.
    ///
    /// - Parameter bytes: What to write.
    /// - Throws: ``TransportError``; ``TransportError/closed(address:)`` when the reader has gone.
    func write(_ bytes: Span<UInt8>) throws(TransportError)

    /// Delivers what the sink still keeps, waiting where it has to, and closes it; nothing is written afterwards.
    ///
    /// - Throws: ``TransportError`` when something could not be delivered.
    func finish() throws(TransportError)

    /// What the sink counts, where it keeps messages that can get lost.
    var meter: TransportMeter? { get }
}

extension TransportSink {
    /// Writes all of the bytes, waiting where it has to; they are not copied.
    ///
    /// - Parameter bytes: What to write.
    /// - Throws: ``TransportError``; ``TransportError/closed(address:)`` when the reader has gone.
    public func write(_ bytes: [UInt8]) throws(TransportError) {
        // The span is of memory that stays as it is during the call.
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(TransportError) in try write(unsafe bytes.span) }
    }

    /// Does nothing, as is right for a sink that keeps nothing.
    public func finish() throws(TransportError) {}

    public var meter: TransportMeter? { nil }
}

/// A sink whose other side takes messages up to a length.
package protocol MessageSink: TransportSink {
    /// How many bytes a message may have; `nil` where that is not known.
    var messageLimit: Int? { get }
}

/// A kind of place that bytes come from or go to, such as `file:`.
public protocol Transport: Sendable {
    /// The part of the address before the colon.
    var scheme: String { get }

    /// One line for people.
    var summary: String { get }

    /// The options that an address of a source takes, as in `file:readings.csv?follow=true`.
    var sourceOptions: [OptionDeclaration] { get }

    /// The options that an address of a sink takes.
    var sinkOptions: [OptionDeclaration] { get }

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

extension Transport {
    public var sourceOptions: [OptionDeclaration] { [] }
    public var sinkOptions: [OptionDeclaration] { [] }
}
