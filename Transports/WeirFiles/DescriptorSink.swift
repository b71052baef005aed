internal import WeirCore

/// Writes bytes to a file descriptor.
///
/// Safety: the descriptor is open as long as the sink lives; it closes it at the end where it owns it.
final class DescriptorSink: TransportSink {
    private let descriptor: Int32
    private let address: String
    private let isOwned: Bool

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - descriptor: Open for writing.
    ///   - address: What to call it in messages.
    ///   - isOwned: Whether the sink closes the descriptor, also when it throws.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for a descriptor that is not open.
    init(_ descriptor: Int32, address: String, isOwned: Bool) throws(TransportError) {
        self.descriptor = descriptor
        self.address = address
        self.isOwned = isOwned
        guard SystemCalls.isOpen(descriptor, for: .writing) else {
            throw .cannotOpen(address: address, reason: "it is not open for writing")
        }
    }

    deinit {
        if isOwned { SystemCalls.closeDescriptor(descriptor) }
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        let error = unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }
        switch error {
        case nil: return
        case SystemCalls.brokenPipe?: throw .closed(address: address)
        case let error?: throw .writeFailed(address: address, reason: SystemCalls.describe(error))
        }
    }

    /// Writes all of the bytes.
    ///
    /// - Returns: The number of the error that stopped it, if one did.
    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe SystemCalls.writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 {
                unsafe rest = rest.dropFirst(count)
                continue
            }
            switch SystemCalls.lastError {
            case SystemCalls.interruptedCall: continue
            case SystemCalls.wouldBlock: SystemCalls.wait(for: descriptor, .writing)
            case let error: return error
            }
        }
        return nil
    }
}
