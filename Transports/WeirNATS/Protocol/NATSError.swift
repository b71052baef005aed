internal import WeirCore

/// What can go wrong between this program and a server of NATS.
package struct NATSError: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The server's bytes are not the protocol.
        case garbage
        /// There is no connection, or it broke.
        case disconnected
        /// The server wants TLS.
        case needsTLS
        /// The server does not let this program in.
        case notAllowed
        /// The server does not let this program do that.
        case notPermitted
        /// No answer came in time.
        case late
        /// Nobody answers requests of this subject.
        case noResponders
        /// JetStream refuses; its code, such as 404, and its number for what it refuses.
        case refused(status: Int, number: Int)
        /// The server is too old for that.
        case tooOld
        /// A subject, a header or a message that cannot be sent.
        case unsendable
        /// The program is to end.
        case interrupted
    }

    package let kind: Kind

    /// What is wrong and what to do, on one line.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String { reason }

    /// Whether the same may succeed once there is another connection.
    var isTransient: Bool {
        switch kind {
        case .disconnected, .late, .noResponders: true
        case .refused(let status, _): status >= 500
        case .garbage, .needsTLS, .notAllowed, .notPermitted, .tooOld, .unsendable, .interrupted: false
        }
    }

    /// Whether another server, or the same one later, may be as it should be.
    var isOfServer: Bool { [.garbage, .needsTLS, .notAllowed].contains(kind) }

    /// Whether JetStream has no stream, consumer or message of that name.
    package var isMissing: Bool { if case .refused(404, _) = kind { true } else { false } }

    /// That the server refuses something that this program says.
    init(refusal words: String) {
        self.init(
            .notPermitted,
            "the server refuses: '\(words)'; give the user of the address the permission for that subject"
        )
    }

    static func garbage(_ what: String) -> NATSError {
        NATSError(.garbage, "\(what); it may be no server of NATS, or something between it and this program")
    }
}
