internal import WeirRecords

/// Why the program cannot go on: one line for people, and how it ends.
struct HostError: Error {
    let exitCode: ExitCode

    /// What is wrong, where, and what to do about it.
    let message: String

    /// The option whose value is at fault, where the message does not begin with it.
    var option: String?

    /// The line of a text that is at fault, and one with a mark below the place; empty where there is none.
    var excerpt = ""

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// Why a place cannot be opened.
    init(_ error: TransportError, opening exitCode: ExitCode) {
        switch error {
        case .badAddress: self.init(.usage, "\(error)")
        case .interrupted: self.init(.interrupted, "\(error)")
        default: self.init(exitCode, "\(error)")
        }
    }

    /// Why the only rule cannot be used.
    init(_ exitCode: ExitCode, _ flaw: RuleFlaw) {
        self.init(exitCode, flaw.message)
        excerpt = flaw.excerpt
    }

    /// The same about the value of an option.
    func about(_ option: OptionDeclaration) -> HostError {
        var error = self
        error.option = option.name
        return error
    }

    /// An error in the command line.
    static func usage(_ message: String) -> HostError {
        HostError(.usage, message)
    }
}
