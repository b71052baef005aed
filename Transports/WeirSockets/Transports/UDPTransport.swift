internal import CWeirSockets
internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Datagrams of UDP: `udp://HOST:PORT`.
///
/// A source takes each datagram as one message, with one line or many. It binds this machine's loopback address unless a
/// host is named (`udp://:9000`), so that strangers cannot reach it by accident; `*` stands for all addresses of IPv4,
/// `[::]` for all of IPv6, and a multicast address joins its group.
///
/// Threads of its own empty the sockets, several with `workers`: the kernel then spreads the senders over them.
/// Where more than 64 datagrams come in a millisecond, they are left to gather in the kernel's buffer for a tenth of one.
/// What does not arrive is counted wherever it can be (`TransportMetrics`); with `sequence` or `key` also what was lost
/// on the way.
///
/// A sink packs lines into datagrams. UDP gives no answer, so what counts as delivered was handed to the kernel; a port of
/// this machine where no program listens is an exception, and then the sink keeps what follows and tries again.
public struct UDPTransport: Transport {
    public let scheme = "udp"
    public let summary = "Datagrams, //HOST:PORT; a source, on the loopback address where no host is named, and a sink."

    private let interruption: Interruption?
    private let inherited: InheritedSockets

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - interruption: What ends the waiting of its sources and sinks, where something can.
    ///   - inherited: The sockets that the program was started with.
    public init(interruption: Interruption? = nil, inherited: InheritedSockets = .none) {
        self.interruption = interruption
        self.inherited = inherited
    }

    public var sourceOptions: [OptionDeclaration] {
        CommonOptions.datagrams + [
            OptionDeclaration("workers", .integer(1...64), default: "1", help: "how many threads receive"),
            CommonOptions.allow,
            Self.interface,
        ] + CommonOptions.authentication + [
            OptionDeclaration("window", .duration, default: "30s", help: "how old a signed datagram may be"),
            CommonOptions.inherit,
        ]
    }

    public var sinkOptions: [OptionDeclaration] {
        [CommonOptions.framing] + CommonOptions.packing + CommonOptions.authentication + [
            Self.interface,
            OptionDeclaration("hops", .integer(0...255), default: "1", help: "how many routers a multicast may pass"),
            OptionDeclaration(
                "send-buffer",
                .byteCount(4096...1 << 30),
                default: "1MiB",
                help: "how much the kernel should keep"
            ),
        ] + CommonOptions.buffering
    }

    private static let interface = OptionDeclaration(
        "interface",
        .text(placeholder: "NAME"),
        help: "the network interface for multicast, such as eth0"
    )

    // MARK: Sources

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        try open(address)
    }

    func open(_ address: String) throws(TransportError) -> DatagramSource {
        let parts = try TransportAddress(ofSource: address, self)
        let whole = parts.whole
        let options = parts.options
        try parts.permit(["window"], if: options.textIfGiven("key") != nil, otherwise: "takes 'key=FILE'")
        try parts.permit(
            ["workers", "interface"],
            if: options.textIfGiven("inherit") == nil,
            otherwise: "means nothing for an inherited socket"
        )
        var settings = options.datagramSettings()
        settings.allowed = try options.ranges(address: whole)
        settings.authenticator = try options.authenticator(address: whole)
        settings.window = options.duration("window")
        let meter = TransportMeter()
        let sockets = try openSockets(parts, whole, &settings, meter)
        return try DatagramSource(
            sockets,
            settings: settings,
            address: whole,
            interruption: interruption,
            meter: meter
        )
    }

    private func openSockets(
        _ parts: TransportAddress,
        _ whole: String,
        _ settings: inout DatagramSettings,
        _ meter: TransportMeter
    ) throws(TransportError) -> [Int32] {
        let options = parts.options
        if let name = options.textIfGiven("inherit") {
            let socket = try inherited.take(name, kind: .datagram, family: -1, address: whole)
            prepare(socket, options.integer("receive-buffer"), whole, &settings, meter)
            return [socket]
        }
        let workers = options.integer("workers")
        let host = try HostAddress(parts.place, whole: whole, loopback: true)
        try parts.permit(["interface"], if: host.isMulticast, otherwise: "takes a multicast address")
        guard workers == 1 || !host.isMulticast else {
            throw .badAddress(address: whole, reason: "a group has one worker: several would each get every datagram")
        }
        var sockets: [Int32] = []
        var target = host.address
        do throws(TransportError) {
            for number in 0..<workers {
                let socket = unsafe cweir_net_socket(&target, SocketKind.datagram.number)
                try check(socket, whole)
                sockets.append(socket)
                // Otherwise another program could take a share of the datagrams unasked.
                if workers > 1 || host.isMulticast { try check(cweir_net_share_port(socket), whole) }
                try check(unsafe cweir_net_bind(socket, &target), whole)
                if number == 0 {
                    var local = cweir_net_address_t()
                    _ = unsafe cweir_net_local_address(socket, &local)
                    unsafe cweir_net_set_port(&target, local.port)
                }
                if host.isMulticast {
                    try join(socket, host, options.textIfGiven("interface"), whole)
                }
                prepare(socket, options.integer("receive-buffer"), whole, &settings, meter)
            }
        } catch {
            for socket in sockets { cweir_net_close(socket) }
            throw error
        }
        return sockets
    }

    private func join(
        _ socket: Int32,
        _ host: HostAddress,
        _ interface: String?,
        _ whole: String
    ) throws(TransportError) {
        let result = unsafe withUnsafePointer(to: host.address) { unsafe cweir_net_join(socket, $0, interface) }
        guard let error = SystemError(result) else { return }
        throw .cannotOpen(
            address: whole,
            reason: "the group cannot be joined\(interface.map { " through '\($0)'" } ?? ""): \(error)"
        )
    }

    private func check(_ result: Int32, _ whole: String) throws(TransportError) {
        if let error = SystemError(result) { throw .cannotOpen(address: whole, reason: "\(error)") }
    }

    private func prepare(
        _ socket: Int32,
        _ wanted: Int,
        _ whole: String,
        _ settings: inout DatagramSettings,
        _ meter: TransportMeter
    ) {
        settings.hearsOfDrops = cweir_net_count_drops(socket) == 1
        let size = ReceiveBuffer.grow(socket, to: wanted, address: whole, meter: meter)
        // As small as that it keeps some hundred datagrams, which is what comes in a millisecond.
        settings.canGather = size >= 128 << 10
    }

    // MARK: Sinks

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        let whole = parts.whole
        let options = parts.options
        let host = try HostAddress(parts.place, whole: whole, loopback: false)
        guard host.address.port != 0 else { throw .badAddress(address: whole, reason: "there is no port 0 to send to") }
        try parts.permit(["interface", "hops"], if: host.isMulticast, otherwise: "takes a multicast address")
        try parts.permitSpillLimit()
        let authenticator = try options.authenticator(address: whole)
        var settings = options.outboxSettings()
        settings.datagram = max(1, options.integer("datagram") - (authenticator?.overhead ?? 0))
        settings.linesPerDatagram = options.integerIfGiven("lines") ?? .max
        let spill = try options.spill(address: whole)
        let meter = TransportMeter()
        meter.update { $0.isUnconfirmed = true }
        let poller = try Poller(address: whole)
        var target = host.address
        let socket = unsafe cweir_net_socket(&target, SocketKind.datagram.number)
        try check(socket, whole)
        let link = ClientLink(.datagrams(socket, authenticator), poller: poller, meter: meter, address: whole)
        _ = cweir_net_permit_broadcast(socket)
        _ = cweir_net_report_refusals(socket, host.family)
        _ = cweir_net_grow_send_buffer(socket, Int32(options.integer("send-buffer")))
        if host.isMulticast {
            let hops = Int32(options.integer("hops"))
            unsafe try check(
                cweir_net_send_multicast(socket, host.family, options.textIfGiven("interface"), hops),
                whole
            )
        }
        try check(unsafe cweir_net_connect(socket, &target), whole)
        _ = link.open()
        return try OutboxSink(
            link,
            settings: settings,
            spill: spill,
            poller: poller,
            meter: meter,
            address: whole,
            interruption: interruption
        )
    }
}

/// The kernel's memory for what a socket has received and the source has not read.
enum ReceiveBuffer {
    #if os(Linux)
        private static let setting = "net.core.rmem_max"
    #else
        private static let setting = "kern.ipc.maxsockbuf"
    #endif

    /// Asks for memory, and leaves a notice where there is less.
    ///
    /// - Returns: How many bytes there are.
    @discardableResult
    static func grow(_ socket: Int32, to wanted: Int, address: String, meter: TransportMeter) -> Int {
        let size = cweir_net_grow_receive_buffer(socket, Int32(wanted))
        guard size < wanted else { return size }
        meter.note(
            "'\(address)' has a receive buffer of \(max(0, size)) bytes instead of \(wanted), so bursts may get lost; "
                + "'sysctl -w \(setting)=\(wanted)' permits more"
        )
        return size
    }
}

extension UDPTransport: SharedTransport {
    package func mixesSenders(_ address: String) -> Bool { true }
}
