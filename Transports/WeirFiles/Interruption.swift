internal import Synchronization
internal import WeirCore
public import WeirRecords

/// Stops sources, also while they wait for input.
///
/// Give it to the transports, and trigger it from another thread or a signal handler: a read that waits, and every
/// later one, throws `TransportError/interrupted(address:)`. It cannot be taken back.
///
/// Thread safety: any thread; ``trigger()`` also in a signal handler.
public final class Interruption: Sendable {
    /// Can be read once the interruption was triggered, so that sources can wait for it and for input together.
    package let descriptor: Int32

    private let writingEnd: Int32
    private let wasTriggered = Atomic(false)

    /// Creates an interruption that was not triggered.
    ///
    /// - Throws: `TransportError/cannotOpen(address:reason:)` when the system has no descriptors left.
    public init() throws(TransportError) {
        guard let ends = SystemCalls.makePipe() else {
            throw .cannotOpen(address: "pipe", reason: SystemCalls.describe(SystemCalls.lastError))
        }
        descriptor = ends.reading
        writingEnd = ends.writing
    }

    deinit {
        SystemCalls.closeDescriptor(descriptor)
        SystemCalls.closeDescriptor(writingEnd)
    }

    /// Whether it was triggered.
    public var isTriggered: Bool { wasTriggered.load(ordering: .acquiring) }

    /// Waits until it is triggered.
    public func wait() {
        while !isTriggered { SystemCalls.wait(for: descriptor, .reading) }
    }

    /// Stops the sources.
    ///
    /// Safe in a signal handler: it stores a flag, writes a byte to a pipe that does not block, and leaves the number of
    /// the last error as it was.
    public func trigger() {
        let error = SystemCalls.lastError
        wasTriggered.store(true, ordering: .releasing)
        let byte: UInt8 = 1
        _ = unsafe withUnsafeBytes(of: byte) { unsafe SystemCalls.writeBytes(writingEnd, $0) }
        SystemCalls.lastError = error
    }
}
