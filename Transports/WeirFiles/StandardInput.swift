public import WeirRecords

/// The process's standard input.
public struct StandardInput: Transport {
    public let scheme = "stdin"
    public let summary = "Standard input; a source."

    private let interruption: Interruption?

    /// Creates the transport.
    ///
    /// - Parameter interruption: What ends the waiting of its sources, where something can.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        guard address.isEmpty else {
            throw .badAddress(
                address: "\(scheme):\(address)",
                reason: "standard input has no address; write '\(scheme)'"
            )
        }
        return try DescriptorSource(
            StandardStream.input.rawValue,
            address: scheme,
            isOwned: false,
            interruption: interruption
        )
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        throw .badAddress(address: scheme, reason: "standard input cannot be written to")
    }
}
