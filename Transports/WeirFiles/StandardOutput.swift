public import WeirRecords

/// The process's standard output.
public struct StandardOutput: Transport {
    public let scheme = "stdout"
    public let summary = "Standard output; a sink."

    /// Creates the transport.
    public init() {}

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        throw .badAddress(address: scheme, reason: "standard output cannot be read")
    }

    /// Opens a sink.
    ///
    /// A process that writes to pipes must ignore SIGPIPE, or it is killed where the sink would throw
    /// `TransportError/closed(address:)`.
    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        guard address.isEmpty else {
            throw .badAddress(
                address: "\(scheme):\(address)",
                reason: "standard output has no address; write '\(scheme)'"
            )
        }
        return try DescriptorSink(StandardStream.output.rawValue, address: scheme, isOwned: false)
    }
}
