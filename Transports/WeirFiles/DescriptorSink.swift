internal import WeirCore
internal import WeirRecords

/// Writes bytes to a file descriptor.
///
/// Safety: the descriptor is open as long as the sink lives; it closes it at the end where it owns it.
final class DescriptorSink: TransportSink {
    private let descriptor: Int32
    private let address: String
    private let isOwned: Bool

    /// Whether the first write is to remove what is in the file.
    private var isToBeEmptied: Bool

    /// How many bytes are in the file of a write that failed.
    private var tornCount = 0

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - descriptor: Open for writing.
    ///   - address: What to call it in messages.
    ///   - isOwned: Whether the sink closes the descriptor, also when it throws.
    ///   - emptiesFile: Whether the first write, or the end, removes what is in a file; until then it stays.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for a descriptor that is not open.
    init(_ descriptor: Int32, address: String, isOwned: Bool, emptiesFile: Bool = false) throws(TransportError) {
        self.descriptor = descriptor
        self.address = address
        self.isOwned = isOwned
        isToBeEmptied = emptiesFile && SystemCalls.facts(about: descriptor)?.kind == .regularFile
        guard SystemCalls.isOpen(descriptor, for: .writing) else {
            throw .cannotOpen(address: address, reason: "it is not open for writing")
        }
    }

    deinit {
        if isOwned { SystemCalls.closeDescriptor(descriptor) }
    }

    /// Writes all of the bytes; none at all still remove what was in the file, where that is wanted.
    ///
    /// Where a file takes only some of them, as on a disk that fills up, the next write removes these first: so the same
    /// bytes can be written again once there is room.
    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        try begin()
        SystemCalls.takeBack(exchange(&tornCount, with: 0), from: descriptor)
        let error = unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }
        switch error {
        case nil: return
        case SystemCalls.brokenPipe?: throw .closed(address: address)
        case let error?: throw .writeFailed(address: address, reason: SystemCalls.describe(error))
        }
    }

    /// Waits until a file that the sink opened is on the disk.
    func finish() throws(TransportError) {
        try begin()
        guard isOwned, !SystemCalls.synchronize(descriptor) else { return }
        throw .writeFailed(address: address, reason: SystemCalls.describe(SystemCalls.lastError))
    }

    private func begin() throws(TransportError) {
        guard isToBeEmptied else { return }
        guard SystemCalls.emptyFile(descriptor) else {
            throw .writeFailed(address: address, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        isToBeEmptied = false
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
            case let error:
                tornCount = unsafe bytes.count - rest.count
                return error
            }
        }
        return nil
    }
}
