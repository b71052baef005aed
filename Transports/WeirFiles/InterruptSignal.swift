internal import CWeir
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Ctrl-C for a program, a SIGTERM, or the SIGHUP of a terminal that is closed: the first one
/// triggers an interruption, the second one ends the program, with a line that says what has not returned.
///
/// A program that was started to outlive its terminal, as with `nohup`, ignores SIGHUP and goes on doing so.
///
/// For programs, which own their signals; a library leaves them alone.
public enum InterruptSignal {
    /// What the sources wait for beside their input; `nil` where the system has no descriptors left, and Ctrl-C then
    /// ends the program at once.
    public static let interruption = try? Interruption()

    /// Starts catching the signals.
    ///
    /// - Parameter includesHangUp: Whether SIGHUP is one of them, and means nothing else.
    public static func catchFirst(includingHangUp includesHangUp: Bool = true) {
        // Made here, because making it in the handler would not be safe.
        guard interruption != nil else { return }
        var numbers = [SIGINT, SIGTERM]
        if includesHangUp, !isIgnored(SIGHUP) { numbers.append(SIGHUP) }
        for number in numbers {
            signal(number) { InterruptSignal.handle($0) }
        }
        // The parent process may have blocked it, as the threads of thread pools do.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// When the first signal came, on the monotonic clock; zero before.
    private static let firstTime = Atomic<Int64>(0)

    /// What comes that soon after the first signal is the same one: timeout(1) sends it to the program and to its group.
    private static let doubling: Int64 = 50_000_000

    /// Runs in a signal handler: nothing that it calls takes memory or a lock.
    private static func handle(_ number: Int32) {
        let now = max(1, cweir_clock_monotonic())
        let (isFirst, first) = firstTime.compareExchange(expected: 0, desired: now, ordering: .acquiringAndReleasing)
        if isFirst {
            interruption?.trigger()
        } else if now - first > doubling {
            // Any other one: SIGTERM after Ctrl-C ends the program.
            cweir_crash_end_by(number)
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        // It shows only when it is changed.
        let action = signal(number, SIG_IGN)
        signal(number, action)
        return unsafe unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
