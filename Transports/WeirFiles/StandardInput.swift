public import WeirRecords

/// The process's standard input.
public struct StandardInput: Transport {
    public let scheme = "stdin"
    public let summary = "Standard input; a source."

    private let interruption: Interruption?
    private let handlesCompression: Bool

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources, where something can.
    ///   - handlesCompression: Whether the contents are read where standard input is a compressed file, as those of a
    ///     ``FileTransport`` are.
    public init(interruption: Interruption? = nil, handlesCompression: Bool = false) {
        self.interruption = interruption
        self.handlesCompression = handlesCompression
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        guard address.isEmpty else {
            throw .badAddress(
                address: "\(scheme):\(address)",
                reason: "standard input has no address; write '\(scheme)'"
            )
        }
        if handlesCompression, let form = DecompressingSource.form(ofFile: StandardStream.input.rawValue) {
            return try DecompressingSource(
                of: StandardStream.input.rawValue,
                address: scheme,
                form: form,
                interruption: interruption
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
