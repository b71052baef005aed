public import WeirCore

/// Files, and whatever else has a path: pipes with names, devices.
///
/// Opening a sink creates the file, or empties it. A pipe with a name is opened once its other end is.
public struct FileTransport: Transport {
    public let scheme = "file"
    public let summary = "A file; a source, and a sink that creates or overwrites it."

    private let interruption: Interruption?

    /// Creates the transport.
    ///
    /// - Parameter interruption: What ends the waiting of its sources, where something can.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let descriptor = try open(address, with: SystemCalls.openForReading)
        return try DescriptorSource(descriptor, address: address, isOwned: true, interruption: interruption)
    }

    /// Opens a sink.
    ///
    /// A process that writes to pipes must ignore SIGPIPE, or it is killed where the sink would throw
    /// ``TransportError/closed(address:)``.
    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        try DescriptorSink(try open(address, with: SystemCalls.openForWriting), address: address, isOwned: true)
    }

    private func open(_ path: String, with call: (String) -> Int32) throws(TransportError) -> Int32 {
        guard !path.isEmpty else { throw .cannotOpen(address: path, reason: "the path is empty") }
        guard !path.utf8.contains(0) else { throw .cannotOpen(address: path, reason: "the path contains a zero") }
        while true {
            let descriptor = call(path)
            if descriptor >= 0 { return descriptor }
            let error = SystemCalls.lastError
            guard error == SystemCalls.interruptedCall else {
                throw .cannotOpen(address: path, reason: SystemCalls.describe(error))
            }
            if let interruption, interruption.isTriggered { throw .interrupted(address: path) }
        }
    }
}
