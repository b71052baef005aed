internal import WeirSystem

/// Whether people want colours on a terminal.
enum Colour {
    /// False where `NO_COLOR` is set to anything, or the terminal says that it is dumb.
    static var isWanted: Bool {
        (ProgramEnvironment.value(of: "NO_COLOR") ?? "").isEmpty && ProgramEnvironment.value(of: "TERM") != "dumb"
    }
}
