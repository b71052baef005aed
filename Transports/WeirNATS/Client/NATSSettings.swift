/// How a program makes itself known to a server, and how long it waits.
package struct NATSSettings: Sendable {
    /// Who it is.
    package enum Credentials: Sendable, Hashable {
        case user(String, password: String)
        case token(String)
    }

    /// `nil` where the server is told nothing.
    package var credentials: Credentials?

    /// How long the server may take for the first words, and for the answer to a request.
    package var timeout = Duration.seconds(5)

    /// How long the server may be silent before it is asked whether it is there; it has ``timeout`` to answer.
    package var pingInterval = Duration.seconds(30)

    /// The longest wait between two attempts to connect.
    package var retry = Duration.seconds(5)

    package init() {}
}
