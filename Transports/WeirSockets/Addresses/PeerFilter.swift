internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Which users may send through a Unix socket.
struct PeerFilter: Sendable {
    private let users: Set<UInt32>
    private let groups: Set<UInt32>

    /// Reads lists of names or numbers, `alice,1001`; makes nothing where neither was given.
    ///
    /// - Parameters:
    ///   - users: The users; `nil` where the option was not given.
    ///   - groups: The groups; `nil` where the option was not given.
    ///   - address: For messages.
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for names that the system does not know.
    init?(users: String?, groups: String?, address: String) throws(TransportError) {
        guard users != nil || groups != nil else { return nil }
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
    func permits(_ credentials: cweir_net_credentials_t) -> Bool {
        users.contains(credentials.user) || groups.contains(credentials.group)
            || groups.contains { cweir_net_is_member(credentials.user, $0) }
    }
}
