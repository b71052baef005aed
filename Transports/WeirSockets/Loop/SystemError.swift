internal import CWeirSockets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An error number of the system, as the functions in C return it: the other way round.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    let number: Int32

    /// The error that a result stands for, where it is below zero.
    package init?(_ result: some BinaryInteger) {
        guard result < 0 else { return nil }
        number = Int32(truncatingIfNeeded: 0 - result)
    }

    private init(number: Int32) {
        self.number = number
    }

    package static let wouldBlock = SystemError(number: EAGAIN)
    package static let inProgress = SystemError(number: EINPROGRESS)
    package static let missing = SystemError(number: ENOENT)
    package static let refused = SystemError(number: ECONNREFUSED)
    package static let unreachable = SystemError(number: EHOSTUNREACH)
    package static let notPermitted = SystemError(number: EPERM)
    package static let accessDenied = SystemError(number: EACCES)
    package static let wrongType = SystemError(number: EPROTOTYPE)
    package static let tooLong = SystemError(number: EMSGSIZE)
    package static let connectionReset = SystemError(number: ECONNRESET)

    /// Whether the system lacks something that it may have again in a moment: descriptors or memory.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) }

    /// Whether the same call may succeed in a moment: a system without memory for messages has some again.
    package var isTransient: Bool { self == .wouldBlock || isShortage }

    /// The error in the system's words, with a small letter: it follows a colon.
    package var description: String {
        let words = unsafe String(cString: cweir_net_error_text(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
