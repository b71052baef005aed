/// Where a source is, so that another one can go on from there.
///
/// The first bytes and those before the place tell whether the contents are still those that were read.
package struct SourcePosition: Sendable, Hashable {
    /// How many bytes were read, from the start of the contents.
    package var offset: Int64

    /// How long the file was when the position was taken; 0 for what is no file.
    package var fileByteCount: Int64 = 0

    /// The number by which the file system knows the file; 0 for what is no file.
    ///
    /// The number of the device is not of use: it may be another one after the machine was started again.
    package var node: UInt64 = 0

    /// The first bytes of the file, as far as they were read.
    package var head: [UInt8] = []

    /// The bytes of the file before the place.
    package var tail: [UInt8] = []

    /// The line that all files of a followed name begin with; `nil` where they share none.
    package var header: [UInt8]?

    /// Creates a position that is known by the number of bytes alone.
    package init(offset: Int64) {
        self.offset = offset
    }
}

/// A source that knows where it is.
package protocol PositionedSource: TransportSource {
    /// Where the next byte comes from; `nil` where that cannot be found again.
    var position: SourcePosition? { get }
}

/// A transport whose sources can go on where others were.
package protocol ResumableTransport: Transport {
    /// Whether a source at an address can say where it is, and another one can go on from there.
    func canResume(_ address: String) -> Bool

    /// Why what a source hands out cannot be saved together with what is known of it; `nil` where it can.
    func stateObstacle(_ address: String) -> String?

    /// Opens a source behind the bytes that another one has handed out.
    ///
    /// - Parameters:
    ///   - address: The part of the address after the colon.
    ///   - position: Where the other one was.
    /// - Returns: A source that hands out what follows.
    /// - Throws: ``TransportError`` when it cannot be opened, or what was read is not there any more.
    func openSource(_ address: String, at position: SourcePosition) throws(TransportError) -> any TransportSource

    /// Whether there is something to read that a source did not see that was at its end.
    ///
    /// - Parameters:
    ///   - address: The part of the address after the colon.
    ///   - position: Where the source was.
    /// - Returns: True also where that cannot be told.
    func hasGrown(_ address: String, since position: SourcePosition) -> Bool
}

extension ResumableTransport {
    package func stateObstacle(_ address: String) -> String? { nil }
}
