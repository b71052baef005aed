internal import WeirCore
internal import WeirRecords

/// Reads the bytes of a file descriptor.
///
/// Safety: the descriptor is open as long as the source lives; it closes it at the end where it owns it.
final class DescriptorSource: PositionedSource {
    let expectedByteCount: Int64?

    /// How many bytes a file had when it was opened; `nil` where that is not known.
    private let length: Int64?

    private let descriptor: Int32
    private let address: String
    private let isOwned: Bool
    private let interruption: Interruption?

    /// Whether reading may have to wait, as it never does on a file.
    private let canWait: Bool

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading.
    ///   - address: What to call it in messages.
    ///   - isOwned: Whether the source closes the descriptor, also when it throws.
    ///   - interruption: What ends the waiting, where something can.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` for a directory, or a descriptor that is not open.
    init(
        _ descriptor: Int32,
        address: String,
        isOwned: Bool,
        interruption: Interruption?
    ) throws(TransportError) {
        let facts = SystemCalls.facts(about: descriptor)
        if facts?.kind == .regularFile {
            SystemCalls.expectSequentialReading(descriptor)
            // Files that the kernel makes up, as in /proc, say that they are empty.
            let rest = (facts?.byteCount ?? 0) - SystemCalls.position(in: descriptor)
            expectedByteCount = rest > 0 ? rest : nil
            length = rest > 0 ? facts?.byteCount : nil
            canWait = false
        } else {
            expectedByteCount = nil
            length = nil
            canWait = true
        }
        self.descriptor = descriptor
        self.address = address
        self.isOwned = isOwned
        self.interruption = interruption
        if facts?.kind == .directory {
            throw .cannotOpen(address: address, reason: SystemCalls.describe(SystemCalls.isDirectory))
        }
        guard SystemCalls.isOpen(descriptor, for: .reading) else {
            throw .cannotOpen(address: address, reason: "it is not open for reading")
        }
    }

    deinit {
        if isOwned { SystemCalls.closeDescriptor(descriptor) }
    }

    var position: SourcePosition? {
        isOwned && !canWait ? SourcePosition(of: descriptor, at: SystemCalls.position(in: descriptor)) : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            if let interruption {
                // First wait and then read: a signal that came just before a read(2) would not end it.
                if canWait { SystemCalls.wait(for: descriptor, .reading, or: interruption.sourceDescriptor) }
                guard !interruption.stopsSources else { throw .interrupted(address: address) }
            }
            let count = unsafe SystemCalls.readBytes(descriptor, into: buffer)
            if count == 0 { try checkLength() }
            if count >= 0 { return count }
            switch SystemCalls.lastError {
            case SystemCalls.interruptedCall: continue
            // Another process may have made a shared terminal or pipe non-blocking.
            case SystemCalls.wouldBlock:
                SystemCalls.wait(for: descriptor, .reading, or: interruption?.sourceDescriptor)
            case let error: throw .readFailed(address: address, reason: SystemCalls.describe(error))
            }
        }
    }

    /// Fails where a file has become shorter while it was read.
    private func checkLength() throws(TransportError) {
        guard let length, let now = SystemCalls.facts(about: descriptor)?.byteCount, now < length else { return }
        throw .readFailed(
            address: address,
            reason: "the file was cut from \(length) to \(now) bytes while it was read; read it again"
        )
    }
}
