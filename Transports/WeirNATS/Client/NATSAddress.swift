internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// The place of an address: `//USER:PASSWORD@HOST:PORT,HOST:PORT/SUBJECT`.
struct NATSAddress {
    /// As they were written, with the port.
    let hosts: [String]
    let credentials: NATSSettings.Credentials?
    let subject: String

    /// The address for messages, without secrets.
    let shown: String

    private static let port = 4222

    /// Takes the place of an address apart.
    ///
    /// - Parameters:
    ///   - parts: The address.
    ///   - allowsWildcards: Whether the subject may have some.
    ///   - needsSubject: Whether there has to be one.
    /// - Throws: ``TransportError/badAddress(address:reason:)``.
    init(_ parts: TransportAddress, allowsWildcards: Bool, needsSubject: Bool = true) throws(TransportError) {
        let whole = parts.whole
        shown = whole
        func refuse(_ reason: String) -> TransportError { .badAddress(address: whole, reason: reason) }
        guard parts.place.hasPrefix("//") else { throw refuse("the host is missing; write nats://HOST:PORT/SUBJECT") }
        let rest = parts.place.dropFirst(2)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<slash]
        subject = String(rest[slash...].dropFirst())
        if needsSubject || !subject.isEmpty {
            guard !subject.isEmpty else { throw refuse("the subject is missing; write nats://HOST:PORT/SUBJECT") }
            do throws(NATSError) {
                try NATSSubject.check(subject, allowsWildcards: allowsWildcards)
                try NATSSubject.checkWildcards(subject)
            } catch {
                throw refuse(error.reason)
            }
        }
        var credentials: NATSSettings.Credentials?
        if let at = authority.lastIndex(of: "@") {
            let words = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            authority = authority[authority.index(after: at)...]
            let decoded = words.map { TransportAddress.decode($0.utf8) }
            guard let first = decoded[0], !first.isEmpty, decoded.allSatisfy({ $0 != nil }) else {
                throw refuse("before the '@' stand USER:PASSWORD or TOKEN; write '%25' for a '%', '%2F' for a '/'")
            }
            credentials = decoded.count > 1 ? .user(first, password: decoded[1] ?? "") : .token(first)
        }
        self.credentials = credentials
        hosts = authority.split(separator: ",", omittingEmptySubsequences: false).map { host in
            let hasPort = host.last != "]" && host.contains(":")
            return "//\(host)\(hasPort ? "" : ":\(Self.port)")"
        }
        // Not quoted: it may be a part of a password.
        guard hosts.allSatisfy({ UInt16($0[$0.index(after: $0.lastIndex(of: ":") ?? $0.startIndex)...]) != nil }) else {
            throw refuse("a port is a number from 1 to 65535; a '/' in a password is written '%2F'")
        }
    }

    /// The value of an option that is a duration, and has to leave time for something to happen, and to end.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for what is too short or too long.
    func duration(_ name: String, _ options: OptionValues) throws(TransportError) -> Duration {
        let value = options.duration(name)
        guard value >= .milliseconds(1), value <= .seconds(86_400) else {
            let text = options.given[name] ?? ""
            throw .badAddress(address: shown, reason: "\(name): '\(text)' is not between 1ms and 24h")
        }
        return value
    }

    /// Looks the servers up, once.
    ///
    /// - Parameter meter: Gets a note of each that is not known, where another one is; `nil` where nobody reads one.
    /// - Returns: Those that are known.
    /// - Throws: ``TransportError`` where none is.
    func servers(_ meter: TransportMeter? = nil) throws(TransportError) -> [SocketPlace] {
        var servers: [SocketPlace] = []
        var failure: TransportError?
        var notes: [String] = []
        for text in hosts {
            do throws(TransportError) {
                let host = try HostAddress(text, whole: shown, loopback: false)
                guard host.address.port != 0 else {
                    throw .badAddress(address: shown, reason: "there is no port 0 to connect to")
                }
                servers.append(.port(host.address))
            } catch {
                guard case .cannotOpen(_, let reason) = error else { throw error }
                failure = failure ?? error
                notes.append("'\(shown)' is used without a server: \(reason); it is looked up again in the next run")
            }
        }
        guard let failure else { return servers }
        guard !servers.isEmpty else { throw failure }
        for note in notes { meter?.note(note) }
        return servers
    }
}
