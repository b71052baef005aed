#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Signals that people send to a program on purpose, handed to an ordinary function on a thread of its own.
///
/// For programs, which own their signals; a library leaves them alone.
public enum SignalWatch {
    /// A signal that can be watched.
    public enum Kind: Sendable, CaseIterable {
        /// `SIGHUP`: read the configuration again.
        case hangUp
        /// `SIGUSR1`: say how it goes.
        case snapshot
        /// `SIGTERM`: end in order.
        case termination
        /// `SIGWINCH`: the terminal has another size.
        case windowChange

        fileprivate var number: Int32 {
            switch self {
            case .hangUp: SIGHUP
            case .snapshot: SIGUSR1
            case .termination: SIGTERM
            case .windowChange: SIGWINCH
            }
        }
    }

    /// Begins to watch.
    ///
    /// Call it before other threads are started: they inherit that the signals are blocked, and the watching thread gets
    /// them all.
    ///
    /// - Parameters:
    ///   - kinds: The signals; the others keep their meaning.
    ///   - handler: Called on the watching thread, one signal at a time.
    /// - Returns: False when the system has no threads left.
    public static func start(_ kinds: [Kind], handler: @escaping @Sendable (Kind) -> Void) -> Bool {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for kind in kinds { unsafe sigaddset(&signals, kind.number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        let isStarted = SystemThread.start("weir.signals") {
            var signals = watched
            while true {
                var number: Int32 = 0
                guard unsafe sigwait(&signals, &number) == 0 else { continue }
                if let kind = kinds.first(where: { $0.number == number }) { handler(kind) }
            }
        }
        // Blocked for good, the signals could not even end the program.
        if !isStarted { unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
        return isStarted
    }

    /// Ends the program as an unhandled signal does.
    public static func endProgram(by kind: Kind) -> Never {
        // The status that shells show for a program that the signal ended.
        _exit(128 + kind.number)
    }
}
