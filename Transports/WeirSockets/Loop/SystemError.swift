internal import CWeirSockets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An error number of the system, as the functions in C return it: the other way round.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let number: Int32

    /// The error that a result stands for, where it is below zero.
    init?(_ result: some BinaryInteger) {
        guard result < 0 else { return nil }
        number = Int32(truncatingIfNeeded: 0 - result)
    }

    private init(number: Int32) {
        self.number = number
    }

    static let wouldBlock = SystemError(number: EAGAIN)
    static let inProgress = SystemError(number: EINPROGRESS)
    static let missing = SystemError(number: ENOENT)
    static let refused = SystemError(number: ECONNREFUSED)
    static let unreachable = SystemError(number: EHOSTUNREACH)
    static let notPermitted = SystemError(number: EPERM)
    static let accessDenied = SystemError(number: EACCES)
    static let wrongType = SystemError(number: EPROTOTYPE)
    static let tooLong = SystemError(number: EMSGSIZE)
    static let connectionReset = SystemError(number: ECONNRESET)

    /// Whether the system lacks something that it may have again in a moment: descriptors or memory.
    var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) }

    /// Whether the same call may succeed in a moment: a system without memory for messages has some again.
    var isTransient: Bool { self == .wouldBlock || isShortage }

    /// The error in the system's words, with a small letter: it follows a colon.
    var description: String {
        let words = unsafe String(cString: cweir_net_error_text(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
