internal import Synchronization
internal import WeirFiles

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Signals that people send to a program on purpose, handed to an ordinary function on a thread of its own.
///
/// They are not blocked on any thread, because Swift's backtracer pauses threads with `SIGUSR1`, and waits for all of them.
///
/// For programs, which own their signals; a library leaves them alone.
public enum SignalWatch {
    /// A signal that can be watched.
    public enum Kind: Sendable, CaseIterable {
        /// `SIGHUP`: read the configuration again.
        case hangUp
        /// `SIGUSR1`: say how it goes.
        case snapshot

        fileprivate var number: Int32 {
            switch self {
            case .hangUp: SIGHUP
            case .snapshot: SIGUSR1
            }
        }

        fileprivate var bit: UInt32 { 1 << UInt32(number) }
    }

    /// The signals that came and were not handed on yet, one bit each.
    private static let pending = Atomic<UInt32>(0)

    /// What wakes the watching thread; made before the first signal is caught, and never freed.
    private static let wake = SystemCalls.makePipe()

    /// Starts watching; once in a program.
    ///
    /// - Parameters:
    ///   - kinds: The signals; the others keep their meaning.
    ///   - handler: Called on the watching thread, one signal at a time; the same signal sent twice may come once.
    /// - Returns: False when the system has no threads or descriptors left.
    public static func start(_ kinds: [Kind], handler: @escaping @Sendable (Kind) -> Void) -> Bool {
        guard let wake else { return false }
        let isStarted = SystemThread.start("weir.signals") {
            while true {
                guard SystemCalls.wait(for: wake.reading, milliseconds: -1) else { continue }
                var bytes: (UInt64, UInt64) = (0, 0)
                _ = unsafe withUnsafeMutableBytes(of: &bytes) { unsafe SystemCalls.readBytes(wake.reading, into: $0) }
                let came = pending.exchange(0, ordering: .acquiringAndReleasing)
                for kind in kinds where came & kind.bit != 0 { handler(kind) }
            }
        }
        guard isStarted else { return false }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for kind in kinds {
            signal(kind.number) { SignalWatch.note($0) }
            unsafe sigaddset(&signals, kind.number)
        }
        // The parent process may have blocked them.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return true
    }

    /// Runs in a signal handler: a flag and a byte, which does not fit only where others are still unread.
    private static func note(_ number: Int32) {
        let error = SystemCalls.lastError
        pending.bitwiseOr(1 << UInt32(number), ordering: .acquiringAndReleasing)
        let byte: UInt8 = 1
        if let wake { _ = unsafe withUnsafeBytes(of: byte) { unsafe SystemCalls.writeBytes(wake.writing, $0) } }
        SystemCalls.lastError = error
    }
}
