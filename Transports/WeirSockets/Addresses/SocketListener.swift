internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// A socket that others connect or send to, and its file where it is a Unix socket.
///
/// Safety: the descriptor is open until `close`, which the owner calls once, or `deinit` does.
@safe
final class SocketListener {
    let descriptor: Int32

    /// The file to remove at the end; `nil` for abstract names and inherited sockets, which belong to others.
    private let path: String?
    private let file: cweir_net_file_t
    /// Whether it listens at a port.
    let isPort: Bool
    private var isOpen = true
    private var ownsDescriptor = true

    /// Opens a socket at a place.
    ///
    /// A file that a program left behind is removed, but only if it is a socket that no program listens at.
    ///
    /// - Parameters:
    ///   - settings: Where, and for whom.
    ///   - kind: How it carries bytes.
    ///   - inherited: The sockets that the program was started with.
    ///   - address: For messages.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)``.
    init(
        _ settings: UnixSettings,
        kind: SocketKind,
        inherited: InheritedSockets,
        address: String
    ) throws(TransportError) {
        if let name = settings.inherit {
            descriptor = try inherited.take(name, kind: kind, family: Int32(CWEIR_NET_UNIX.rawValue), address: address)
            isPort = false
            path = nil
            file = cweir_net_file_t()
            guard kind == .datagram || cweir_net_is_listening(descriptor) else {
                throw .cannotOpen(address: address, reason: "the inherited socket '\(name)' does not listen")
            }
            return
        }
        let target = try settings.place.address(for: address)
        let made = unsafe withUnsafePointer(to: target) { unsafe cweir_net_socket($0, kind.number) }
        if let error = SystemError(made) { throw .cannotOpen(address: address, reason: "\(error)") }
        do throws(TransportError) {
            file = try Self.bind(made, target, settings, kind, address)
        } catch {
            cweir_net_close(made)
            throw error
        }
        descriptor = made
        isPort = false
        path = settings.place.path
        if kind != .datagram, let error = SystemError(cweir_net_listen(made)) {
            close()
            throw .cannotOpen(address: address, reason: "\(error)")
        }
    }

    /// Opens a socket that listens at a port, or takes one that the program was started with.
    ///
    /// - Parameters:
    ///   - place: The host, which is this machine alone where none is named, and the port; zero lets the system choose
    ///     one, which a notice tells.
    ///   - parts: Has the option `inherit`.
    ///   - inherited: The sockets that the program was started with.
    ///   - meter: Takes the notice.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)``.
    convenience init(
        port place: String,
        of parts: TransportAddress,
        inherited: InheritedSockets,
        meter: TransportMeter
    ) throws(TransportError) {
        let whole = parts.whole
        if let name = parts.options.textIfGiven("inherit") {
            try self.init(
                listening: try inherited.take(name, kind: .stream, family: -1, address: whole),
                address: whole
            )
            guard cweir_net_is_listening(descriptor), localAddress.hostNumber != nil else {
                throw .cannotOpen(address: whole, reason: "the inherited socket '\(name)' does not listen at a port")
            }
            return
        }
        var target = try HostAddress(place, whole: whole, loopback: true).address
        try self.init(
            listening: unsafe cweir_net_socket(&target, SocketKind.stream.number),
            address: whole
        )
        _ = cweir_net_reuse_address(descriptor)
        for status in [unsafe cweir_net_bind(descriptor, &target), cweir_net_listen(descriptor)] {
            if let error = SystemError(status) { throw .cannotOpen(address: whole, reason: "\(error)") }
        }
        if target.port == 0 { meter.note("'\(whole)' listens at \(localAddress.text)") }
    }

    /// Takes a socket for a port, or the error of making one.
    private init(listening made: Int32, address: String) throws(TransportError) {
        if let error = SystemError(made) { throw .cannotOpen(address: address, reason: "\(error)") }
        descriptor = made
        isPort = true
        path = nil
        file = cweir_net_file_t()
    }

    deinit {
        close()
    }

    /// Where it listens.
    var localAddress: cweir_net_address_t {
        var local = cweir_net_address_t()
        _ = unsafe cweir_net_local_address(descriptor, &local)
        return local
    }

    /// Takes the next connection.
    ///
    /// - Returns: Its descriptor, or an error below zero.
    func accept() -> Int32 {
        let made = cweir_net_accept(descriptor)
        if made >= 0, isPort { cweir_net_prepare_connection(made) }
        return made
    }

    /// Removes the file, so that no program connects any more; connections that wait can still be accepted.
    func removeFile() {
        guard let path else { return }
        var now = cweir_net_file_t()
        // Another program may have put its socket there meanwhile, which stays.
        guard unsafe cweir_net_file_at(path, &now) == 0, now.device == file.device, now.node == file.node else {
            return
        }
        _ = unsafe cweir_net_remove(path)
    }

    /// Gives up the descriptor; the caller closes it.
    func handOver() -> Int32 {
        ownsDescriptor = false
        return descriptor
    }

    /// Closes the socket, unless it was handed over, and removes the file.
    func close() {
        guard isOpen else { return }
        isOpen = false
        removeFile()
        if ownsDescriptor { cweir_net_close(descriptor) }
    }

    private static func bind(
        _ socket: Int32,
        _ target: cweir_net_address_t,
        _ settings: UnixSettings,
        _ kind: SocketKind,
        _ address: String
    ) throws(TransportError) -> cweir_net_file_t {
        func refuse(_ error: SystemError) -> TransportError { .cannotOpen(address: address, reason: "\(error)") }
        var file = cweir_net_file_t()
        guard let path = settings.place.path else {
            let result = unsafe withUnsafePointer(to: target) { unsafe cweir_net_bind(socket, $0) }
            if let error = SystemError(result) { throw refuse(error) }
            return file
        }
        // Two programs that start at once could each find the old file stale, and the second would remove the first
        // one's new file: they take turns.
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let lock = unsafe cweir_net_lock_directory(folder)
        defer { if lock >= 0 { cweir_net_close(lock) } }
        try removeStale(path, target, kind, address)
        let result = unsafe withUnsafePointer(to: target) { unsafe cweir_net_bind_private(socket, $0) }
        if let error = SystemError(result) { throw refuse(error) }
        _ = unsafe cweir_net_file_at(path, &file)
        // The owner before the mode: changing the owner may take bits away.
        if settings.user != .max || settings.group != .max,
            let error = unsafe SystemError(cweir_net_set_owner(path, settings.user, settings.group))
        {
            _ = unsafe cweir_net_remove(path)
            throw .cannotOpen(address: address, reason: "the owner cannot be set: \(error)")
        }
        if let error = unsafe SystemError(cweir_net_set_mode(path, settings.mode)) {
            _ = unsafe cweir_net_remove(path)
            throw .cannotOpen(address: address, reason: "the mode cannot be set: \(error)")
        }
        return file
    }

    private static func removeStale(
        _ path: String,
        _ target: cweir_net_address_t,
        _ kind: SocketKind,
        _ address: String
    ) throws(TransportError) {
        var file = cweir_net_file_t()
        guard unsafe cweir_net_file_at(path, &file) == 0 else { return }
        guard file.is_socket else {
            throw .cannotOpen(address: address, reason: "there is a file of that name, which is no socket; remove it")
        }
        let probe = unsafe withUnsafePointer(to: target) { unsafe cweir_net_socket($0, kind.number) }
        if let error = SystemError(probe) { throw .cannotOpen(address: address, reason: "\(error)") }
        defer { cweir_net_close(probe) }
        switch unsafe SystemError(withUnsafePointer(to: target) { unsafe cweir_net_connect(probe, $0) }) {
        case .refused?:
            if let error = unsafe SystemError(cweir_net_remove(path)) {
                throw .cannotOpen(
                    address: address,
                    reason: "the socket that was left there cannot be removed: \(error)"
                )
            }
        case .missing?: return
        case nil, .wouldBlock?, .wrongType?:
            throw .cannotOpen(address: address, reason: "another program listens there already")
        case let error?:
            throw .cannotOpen(address: address, reason: "\(error)")
        }
    }
}

/// Where a Unix socket is: a path, or on Linux a name that is no file.
package enum UnixPlace: Sendable, Equatable {
    case file(String)
    case abstract(String)

    /// The path, where there is one.
    var path: String? {
        guard case .file(let path) = self else { return nil }
        return path
    }

    /// The address for the system.
    func address(for whole: String) throws(TransportError) -> cweir_net_address_t {
        var address = cweir_net_address_t()
        let (name, isAbstract) =
            switch self {
            case .file(let path): (path, false)
            case .abstract(let name): (name, true)
            }
        guard !name.utf8.contains(0) else { throw .badAddress(address: whole, reason: "the path contains a zero") }
        let result = unsafe cweir_net_unix_address(name, name.utf8.count, isAbstract, &address)
        if let error = SystemError(result) {
            let reason = isAbstract ? "names that are no files take Linux" : "the path is longer than a socket's may be"
            throw .badAddress(address: whole, reason: "\(reason) (\(error))")
        }
        return address
    }
}

/// Where a Unix socket is, and for whom.
struct UnixSettings: Sendable {
    var place: UnixPlace
    var mode: UInt32 = 0o600

    /// `UInt32.max` leaves it as it is.
    var user: UInt32 = .max
    var group: UInt32 = .max
    var inherit: String?
}
