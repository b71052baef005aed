public import WeirRecords

/// The three streams that every process begins with.
public enum StandardStream: Int32, Sendable, CaseIterable {
    /// Standard input.
    case input = 0
    /// Standard output.
    case output = 1
    /// Standard error.
    case error = 2

    /// Whether the stream is a terminal, where a person sits.
    public var isTerminal: Bool { SystemCalls.isTerminal(rawValue) }

    /// Keeps files away from the numbers of streams that were closed before the process began.
    ///
    /// Call it at the start, before any file is opened: otherwise the next file gets such a number, and what is meant
    /// for standard output ends up in it. Reading and writing a closed stream fails afterwards, as it should.
    public static func keepNumbers() {
        for stream in allCases {
            SystemCalls.occupyIfClosed(stream.rawValue, meantFor: stream == .input ? .reading : .writing)
        }
    }

    /// A sink for what people should read on standard error.
    ///
    /// - Throws: `TransportError/cannotOpen(address:reason:)` when it is closed.
    public static func openErrorSink() throws(TransportError) -> any TransportSink {
        try DescriptorSink(error.rawValue, address: "stderr", isOwned: false)
    }
}
