internal import WeirCore
package import WeirRecords

/// The options that several transports share, each declared once.
package enum CommonOptions {
    /// For what is sent, and posted.
    package static let framing = OptionDeclaration(
        "framing",
        .choice(Boundary.ofSinks.map(\.rawValue)),
        default: Boundary.lines.rawValue,
        help: "what ends a message: a newline, or a length in four bytes before it, most significant first"
    )

    /// For the bytes of streams.
    static let framingInStreams = OptionDeclaration(
        "framing",
        .choice(Boundary.ofStreams.map(\.rawValue)),
        default: Boundary.lines.rawValue,
        help:
            "what ends a message: a newline, a length in four bytes before it, most significant first, or a length in digits before it, and a newline where there is none, as for syslog"
    )

    /// How long a message of a stream may be.
    static let longest = OptionDeclaration(
        "max-line",
        .byteCount(16...1 << 30),
        default: "64KiB",
        help: "reject longer lines, frames or packets"
    )

    /// For the lines and frames of streams.
    static let streams = [
        longest,
        OptionDeclaration(
            "unfinished",
            .choice(["reject", "deliver"]),
            default: "reject",
            help: "what to do with a last line without a newline: its sender may have been killed in the middle of it"
        ),
        OptionDeclaration(
            "header",
            .choice(["none", "shared"]),
            default: "none",
            help: "'shared': all connections begin with the same line, such as that of CSV, which is passed on once"
        ),
    ]

    /// For what datagrams and packets hold.
    package static let framingInDatagrams = OptionDeclaration(
        "framing",
        .choice(Boundary.ofDatagrams.map(\.rawValue)),
        default: Boundary.lines.rawValue,
        help:
            "what ends a message in a datagram: a newline, a length in four bytes before it, or the datagram's own end alone"
    )

    /// For what answers over streams.
    static let acknowledges = OptionDeclaration(
        "ack",
        .flag,
        default: "false",
        help:
            "answer each connection with lines: how many of its messages are safe now, in the journal of a run or in a recording"
    )
    package static let drain = OptionDeclaration(
        "drain",
        .duration,
        default: "1s",
        help: "after an interruption, how long what was sent before is still read"
    )
    static let inherit = OptionDeclaration(
        "inherit",
        .text(placeholder: "N|NAME"),
        help: "take a socket that the program was started with (LISTEN_FDS), by its place from 0 or its name"
    )

    /// For the file of a Unix socket.
    static let file = [
        OptionDeclaration("mode", .text(placeholder: "MODE"), default: "0600", help: "the file's permissions"),
        OptionDeclaration(
            "owner",
            .text(placeholder: "USER[:GROUP]"),
            help: "the file's owner; ':GROUP' for the group"
        ),
        inherit,
    ]

    /// Who may send to a Unix socket.
    static let peers = [
        OptionDeclaration("users", .text(placeholder: "USER,..."), help: "take only what these users send"),
        OptionDeclaration("groups", .text(placeholder: "GROUP,..."), help: "take only what members of these send"),
    ]

    /// Which hosts may send through a port.
    static let allow = OptionDeclaration(
        "allow",
        .text(placeholder: "RANGE,..."),
        help: "take only what comes from these addresses, such as 10.0.0.0/8 or ::1"
    )

    /// For what datagrams a source takes.
    static let datagrams = [
        framingInDatagrams,
        OptionDeclaration(
            "max-datagram",
            .byteCount(1...65_536),
            default: "64KiB",
            help: "reject longer datagrams; less takes less memory"
        ),
        OptionDeclaration(
            "receive-buffer",
            .byteCount(4096...1 << 30),
            default: "4MiB",
            help: "how much the kernel should keep"
        ),
        OptionDeclaration("queue", .byteCount(1...1 << 34), default: "16MiB", help: "how much to keep here besides"),
        OptionDeclaration(
            "overflow",
            .choice(SocketOverflow.allCases.map(\.rawValue)),
            default: SocketOverflow.block.rawValue,
            help:
                "when the queue is full: leave datagrams to the kernel, which drops what it has no room for, or drop them"
        ),
        drain,
    ]

    /// How datagrams are numbered and signed.
    static let authentication = [
        OptionDeclaration(
            "sequence",
            .flag,
            default: "false",
            help: "number the datagrams, so that loss can be counted"
        ),
        OptionDeclaration(
            "key",
            .text(placeholder: "FILE"),
            help: "number and sign them with HMAC-SHA256 and the key in this file, which both sides have"
        ),
    ]

    /// How a sink keeps what it cannot send yet.
    package static let buffering = [
        OptionDeclaration("buffer", .byteCount(1...1 << 30), default: "8MiB", help: "how much to keep in memory"),
        OptionDeclaration(
            "overflow",
            .choice(SocketOverflow.allCases.map(\.rawValue)),
            default: SocketOverflow.block.rawValue,
            help: "when the buffer is full, and the spill too: wait, or drop"
        ),
        OptionDeclaration(
            "spill",
            .text(placeholder: "FILE"),
            help: "keep what the buffer has no room for in this file, until it was sent"
        ),
        OptionDeclaration(
            "spill-limit",
            .byteCount(1024...1 << 50),
            default: "1GiB",
            help: "how much of the disk it may take; what is full then does as 'overflow' says"
        ),
        OptionDeclaration("retry", .duration, default: "5s", help: "the longest wait between two attempts to connect"),
        OptionDeclaration("linger", .duration, default: "5s", help: "how long the end waits for what is still kept"),
    ]

    /// How lines become datagrams.
    static let packing = [
        OptionDeclaration(
            "datagram",
            .byteCount(64...65_507),
            default: "1400",
            help: "put lines together up to this length; a longer line goes alone"
        ),
        OptionDeclaration("lines", .integer(1...1_000_000), help: "put at most this number of lines into a datagram"),
    ]
}

extension TransportAddress {
    /// Refuses a limit for a spill that there is not.
    package func permitSpillLimit() throws(TransportError) {
        try permit(["spill-limit"], if: options.textIfGiven("spill") != nil, otherwise: "takes 'spill=FILE'")
    }
}

extension ConnectionSettings {
    /// Reads the options of ``CommonOptions/streams`` and the framing.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)``.
    mutating func readStream(_ parts: TransportAddress) throws(TransportError) {
        boundary = parts.options.boundary
        lineLimit = parts.options.integer("max-line")
        deliversUnfinished = parts.options.text("unfinished") == "deliver"
        sharesHeader = parts.options.text("header") == "shared"
        guard !sharesHeader || boundary == .lines else {
            throw .badAddress(address: parts.whole, reason: "header: only lines have a header that is shared")
        }
    }
}

extension OptionValues {
    package var boundary: Boundary { Boundary(rawValue: text("framing")) ?? .lines }

    /// The settings of a source of datagrams.
    func datagramSettings() -> DatagramSettings {
        var settings = DatagramSettings()
        settings.boundary = boundary
        settings.limit = integer("max-datagram")
        settings.queue = integer("queue")
        settings.overflow = SocketOverflow(rawValue: text("overflow")) ?? .block
        settings.drain = duration("drain")
        return settings
    }

    /// The settings of a sink that keeps what it cannot send.
    package func outboxSettings() -> OutboxSettings {
        var settings = OutboxSettings()
        settings.buffer = integer("buffer")
        settings.overflow = SocketOverflow(rawValue: text("overflow")) ?? .block
        settings.boundary = boundary
        settings.retry = duration("retry")
        settings.linger = duration("linger")
        return settings
    }

    /// The file that a sink spills to, where there is one.
    package func spill(address: String) throws(TransportError) -> SpillFile? {
        guard let path = textIfGiven("spill") else { return nil }
        guard !path.utf8.contains(0) else {
            throw .badAddress(address: address, reason: "the path of the spill contains a zero")
        }
        return try SpillFile(path: path, limit: integer("spill-limit"), address: address)
    }

    /// What numbers or signs datagrams, where they are.
    func authenticator(address: String) throws(TransportError) -> DatagramAuthenticator? {
        if let path = textIfGiven("key") { return DatagramAuthenticator(key: try KeyFile.read(path, address: address)) }
        return flag("sequence") ? DatagramAuthenticator(key: nil) : nil
    }

    /// The file of a Unix socket.
    func unixSettings(_ place: String, address: String) throws(TransportError) -> UnixSettings {
        var settings = UnixSettings(
            place: try UnixPlace(place, inherits: textIfGiven("inherit") != nil, address: address)
        )
        settings.inherit = textIfGiven("inherit")
        let mode = text("mode")
        // Digits alone: the parser of the standard library would take a sign as well.
        guard let bits = UInt32(mode, radix: 8), bits <= 0o777, mode.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }) else {
            throw .badAddress(address: address, reason: "mode: '\(mode)' is not a mode such as 0660")
        }
        settings.mode = bits
        guard let owner = textIfGiven("owner") else { return settings }
        let parts = owner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if !parts[0].isEmpty {
            settings.user = try PeerFilter.user(String(parts[0]), address)
        }
        if parts.count > 1, !parts[1].isEmpty {
            settings.group = try PeerFilter.group(String(parts[1]), address)
        }
        return settings
    }

    /// The addresses that may send; none where the option was not given.
    func ranges(address: String) throws(TransportError) -> [NetworkRange] {
        guard let list = textIfGiven("allow") else { return [] }
        var ranges: [NetworkRange] = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let range = NetworkRange(text) else {
                throw .badAddress(
                    address: address,
                    reason:
                        "allow: '\(text)' is not a range of addresses such as 10.0.0.0/8, with zeros behind the prefix"
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    func peerFilter(address: String) throws(TransportError) -> PeerFilter? {
        try PeerFilter(users: textIfGiven("users"), groups: textIfGiven("groups"), address: address)
    }
}

extension UnixPlace {
    /// Reads a place: a path, or a name that is no file behind an `@`.
    init(_ place: String, inherits: Bool, address: String) throws(TransportError) {
        if place.hasPrefix("@"), place.count > 1 {
            self = .abstract(String(place.dropFirst()))
        } else if place.isEmpty || place == "@" {
            guard inherits else { throw .badAddress(address: address, reason: "the path is missing") }
            self = .abstract("")
        } else {
            self = .file(place)
        }
    }
}
