#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Ctrl-C for a program, or the SIGTERM of whoever started it: the first one triggers an interruption, the second one
/// ends the program.
///
/// For programs, which own their signals; a library leaves them alone.
public enum InterruptSignal {
    /// What the sources wait for beside their input; `nil` where the system has no descriptors left, and Ctrl-C then
    /// ends the program at once.
    public static let interruption = try? Interruption()

    /// Begins to catch the signal.
    public static func catchFirst() {
        // Made here, because making it in the handler would not be safe.
        guard interruption != nil else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                signal(number, SIG_DFL)
                InterruptSignal.interruption?.trigger()
            }
        }
        // Whoever started the program may have blocked it, as the threads of thread pools do.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
