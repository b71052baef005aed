internal import CWeir
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The terminal that a program was started from, taken over for a display: keys come at once, and what was on the screen
/// comes back afterwards.
///
/// Thread safety: one thread shows and reads keys; any thread may give the terminal back.
@safe
public final class TerminalScreen: Sendable {
    private let descriptor: Int32
    private let original: termios
    private let isTaken = Atomic(true)

    /// Takes the terminal over.
    ///
    /// - Returns: `nil` where there is none.
    public init?() {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else {
            close(terminal)
            return nil
        }
        original = settings
        descriptor = terminal
        // Keys arrive one by one and are not shown; Ctrl-C stays a signal.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // A program that is stopped here would leave the shell on the display's screen.
        let off = UInt8(truncatingIfNeeded: fpathconf(terminal, Int32(_PC_VDISABLE)))
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { unsafe $0[Int(VSUSP)] = off }
        _ = unsafe tcsetattr(terminal, TCSANOW, &settings)
        // The other screen, without a cursor.
        show("\u{1B}[?1049h\u{1B}[?25l")
        unsafe withUnsafeBytes(of: original) { original in
            if let start = original.baseAddress { unsafe cweir_crash_keep_terminal(terminal, start) }
        }
    }

    deinit {
        giveBack()
        close(descriptor)
    }

    /// Gives the terminal back as it was.
    public func giveBack() {
        guard isTaken.exchange(false, ordering: .acquiringAndReleasing) else { return }
        cweir_crash_forget_terminal()
        show("\u{1B}[?25h\u{1B}[?1049l")
        var settings = original
        _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
    }

    /// How many columns and rows there are now.
    public var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes to the terminal.
    ///
    /// - Returns: False when it went away.
    @discardableResult
    public func show(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What came from the keyboard.
    public enum Key: Sendable, Hashable {
        case character(Character)
        case nothing
        /// The terminal went away.
        case gone
    }

    /// Waits for a key.
    ///
    /// - Parameter milliseconds: How long.
    /// - Returns: The key, or that there was none.
    public func readKey(milliseconds: Int32) -> Key {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&entry, 1, milliseconds)
        guard ready > 0 else { return .nothing }
        guard entry.revents & Int16(POLLIN) != 0 else { return .gone }
        var byte: UInt8 = 0
        let count = unsafe read(descriptor, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
        return count == 1 ? .character(Character(Unicode.Scalar(byte))) : .gone
    }
}
