#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Ctrl-C for a program, the SIGTERM of whoever started it, or the SIGHUP of a terminal that goes away: the first one
/// triggers an interruption, the second one ends the program.
///
/// A program that was started to outlive its terminal, as with `nohup`, ignores SIGHUP and goes on doing so.
///
/// For programs, which own their signals; a library leaves them alone.
public enum InterruptSignal {
    /// What the sources wait for beside their input; `nil` where the system has no descriptors left, and Ctrl-C then
    /// ends the program at once.
    public static let interruption = try? Interruption()

    /// Begins to catch the signals.
    ///
    /// - Parameter includesHangUp: Whether SIGHUP is one of them, and means nothing else.
    public static func catchFirst(includingHangUp includesHangUp: Bool = true) {
        // Made here, because making it in the handler would not be safe.
        guard interruption != nil else { return }
        var numbers = [SIGINT, SIGTERM]
        if includesHangUp, !isIgnored(SIGHUP) { numbers.append(SIGHUP) }
        for number in numbers {
            signal(number) { number in
                signal(number, SIG_DFL)
                InterruptSignal.interruption?.trigger()
            }
        }
        // Whoever started the program may have blocked it, as the threads of thread pools do.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        // It shows only when it is changed.
        let action = signal(number, SIG_IGN)
        signal(number, action)
        return unsafe unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
