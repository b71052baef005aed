internal import CWeirSockets
internal import WeirCore

/// Who may connect.
enum ConnectionFilter: Sendable {
    /// Users, through a Unix socket.
    case users(PeerFilter)
    /// Hosts, through a port.
    case hosts([NetworkRange])

    /// Whether the other side of a connection may be there.
    func permits(_ socket: Int32) -> Bool {
        switch self {
        case .users(let filter):
            var credentials = cweir_net_credentials_t()
            return unsafe cweir_net_peer(socket, &credentials) == 0 && filter.permits(credentials)
        case .hosts(let ranges):
            guard let host = cweir_net_address_t(peerOf: socket)?.hostNumber else { return false }
            return ranges.contains { $0.contains(host) }
        }
    }
}
