internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Which users may send through a Unix socket.
///
/// Thread safety: any thread.
final class PeerFilter: Sendable {
    private let users: Set<UInt32>
    private let groups: Set<UInt32>
    private let isMember: @Sendable (_ user: UInt32, _ group: UInt32) -> Bool
    private let now: @Sendable () -> Moment
    private let known = Locked<[UInt32: Membership]>([:])

    /// Whether a user belongs to one of the groups, as the system's list of users said it.
    private struct Membership {
        let isMember: Bool
        let end: Moment
    }

    /// How long the answer of the system is used again, in nanoseconds: reading its list takes far longer than a datagram.
    private static let lifetime: Int64 = 5_000_000_000
    private static let knownLimit = 1024

    /// Reads lists of names or numbers, `alice,1001`; makes nothing where neither was given.
    ///
    /// - Parameters:
    ///   - users: The users; `nil` where the option was not given.
    ///   - groups: The groups; `nil` where the option was not given.
    ///   - address: For messages.
    ///   - isMember: Asks the system whether a user belongs to a group.
    ///   - now: The time.
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for names that the system does not know.
    init?(
        users: String?,
        groups: String?,
        address: String,
        isMember: @escaping @Sendable (UInt32, UInt32) -> Bool = { cweir_net_is_member($0, $1) },
        now: @escaping @Sendable () -> Moment = { .now }
    ) throws(TransportError) {
        guard users != nil || groups != nil else { return nil }
        self.isMember = isMember
        self.now = now
        self.users = try Self.read(users, address, Self.user)
        self.groups = try Self.read(groups, address, Self.group)
    }

    private static func read(
        _ list: String?,
        _ address: String,
        _ look: (String, String) throws(TransportError) -> UInt32
    ) throws(TransportError) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for name in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard !name.isEmpty else {
                throw .badAddress(address: address, reason: "'\(list ?? "")' is not a list such as alice,1001")
            }
            numbers.insert(try look(String(name), address))
        }
        return numbers
    }

    /// The number of a user.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for a name that the system does not know.
    static func user(_ name: String, _ address: String) throws(TransportError) -> UInt32 {
        var number: UInt32 = 0
        guard unsafe cweir_net_user(name, &number) == 0 else {
            throw .badAddress(address: address, reason: "there is no user '\(name)'")
        }
        return number
    }

    /// The number of a group.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for a name that the system does not know.
    static func group(_ name: String, _ address: String) throws(TransportError) -> UInt32 {
        var number: UInt32 = 0
        guard unsafe cweir_net_group(name, &number) == 0 else {
            throw .badAddress(address: address, reason: "there is no group '\(name)'")
        }
        return number
    }

    /// Whether a user may send: one on the list, or one that belongs to a group on the list.
    ///
    /// A change of the system's groups counts after five seconds.
    func permits(_ credentials: cweir_net_credentials_t) -> Bool {
        if users.contains(credentials.user) || groups.contains(credentials.group) { return true }
        return !groups.isEmpty && belongsToGroup(credentials.user)
    }

    private func belongsToGroup(_ user: UInt32) -> Bool {
        let now = now()
        if let found = known.withLock({ $0[user] }), now < found.end { return found.isMember }
        let belongs = groups.contains { isMember(user, $0) }
        known.withLock { known in
            if known.count >= Self.knownLimit { known.removeAll(keepingCapacity: true) }
            known[user] = Membership(isMember: belongs, end: now + Self.lifetime)
        }
        return belongs
    }
}
