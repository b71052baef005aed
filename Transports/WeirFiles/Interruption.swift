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
    /// Can be read once the interruption was triggered, so that sinks can wait for it and for room together.
    package let descriptor: Int32

    /// Can be read once the interruption was triggered, and during a pause, so that sources can wait for either and for
    /// input together.
    package let sourceDescriptor: Int32

    private let writingEnd: Int32
    private let sourceWritingEnd: Int32
    private let wasTriggered = Atomic(false)
    private let wasPaused = Atomic(false)

    /// Creates an interruption that was not triggered.
    ///
    /// - Throws: `TransportError/cannotOpen(address:reason:)` when the system has no descriptors left.
    public init() throws(TransportError) {
        guard let ends = SystemCalls.makePipe() else {
            throw .cannotOpen(address: "pipe", reason: SystemCalls.describe(SystemCalls.lastError))
        }
        guard let ofSources = SystemCalls.makePipe() else {
            let reason = SystemCalls.describe(SystemCalls.lastError)
            for end in [ends.reading, ends.writing] { SystemCalls.closeDescriptor(end) }
            throw .cannotOpen(address: "pipe", reason: reason)
        }
        (descriptor, writingEnd) = ends
        (sourceDescriptor, sourceWritingEnd) = ofSources
    }

    deinit {
        for end in [descriptor, writingEnd, sourceDescriptor, sourceWritingEnd] { SystemCalls.closeDescriptor(end) }
    }

    /// Whether it was triggered.
    public var isTriggered: Bool { wasTriggered.load(ordering: .acquiring) }

    /// Waits until it is triggered.
    public func wait() {
        while !isTriggered { SystemCalls.wait(for: descriptor, .reading) }
    }

    /// Stops the sources.
    ///
    /// Safe in a signal handler: it stores a flag, writes a byte to pipes that do not block, and leaves the number of the
    /// last error as it was.
    public func trigger() {
        let error = SystemCalls.lastError
        wasTriggered.store(true, ordering: .releasing)
        ring(writingEnd)
        ring(sourceWritingEnd)
        SystemCalls.lastError = error
    }

    // MARK: Pauses

    /// Whether the sources are to stay as they are, unread and open, until they are read on.
    package var isPaused: Bool { wasPaused.load(ordering: .acquiring) && !isTriggered }

    /// Whether a read is to throw `TransportError/interrupted(address:)`.
    package var stopsSources: Bool { isTriggered || wasPaused.load(ordering: .acquiring) }

    /// Whether a pause has not ended, whatever else has come.
    package var isHeldBack: Bool { wasPaused.load(ordering: .acquiring) }

    /// Makes reads throw `TransportError/interrupted(address:)` until ``resume()``, with nothing taken from the sources and
    /// nothing of them closed, so that another reader can go on with them.
    package func pause() {
        wasPaused.store(true, ordering: .releasing)
        ring(sourceWritingEnd)
    }

    /// Ends a pause.
    package func resume() {
        wasPaused.store(false, ordering: .releasing)
        SystemCalls.emptyPipe(sourceDescriptor)
        // What told of the trigger may have been taken out with the rest.
        if isTriggered { ring(sourceWritingEnd) }
    }

    private func ring(_ end: Int32) {
        let byte: UInt8 = 1
        _ = unsafe withUnsafeBytes(of: byte) { unsafe SystemCalls.writeBytes(end, $0) }
    }
}
