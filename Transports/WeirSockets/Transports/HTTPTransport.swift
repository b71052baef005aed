internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Requests of HTTP/1.1: `http://HOST:PORT/PATH`.
///
/// A source takes what is posted to its path: lines, or frames; an array of objects, or with the type `application/json` any
/// array, whose elements become a line each, or a single value. It listens at this machine's loopback address unless a host
/// is named.
/// A request is taken as a whole or not at all, and answered once the engine has taken it, with counts, such as
/// `{"accepted":2,"rejected":1,"errors":[{"line":3,"reason":"longer than 65536 bytes"}]}`. What the format or the plugin
/// refuses later is not known by then. A client that gets no answer, or 408, 429 or 503, sends the request again.
///
/// A sink posts lines, some at a time, and waits for each answer. After 408, 425, 429, any 5xx, or none, it sends the same
/// messages again, not before `Retry-After`; they may come twice then. What any other answer refuses is lost, and counted.
/// `body=array` makes an array of lines of JSON.
///
/// There is no encryption here. For a source, a proxy that speaks TLS stands in front of the loopback address, such as
/// nginx with `location /events { proxy_pass http://127.0.0.1:8080; client_max_body_size 1m; }`; it may also check who posts.
/// For a sink, one stands behind it, such as
/// `socat TCP-LISTEN:8443,bind=127.0.0.1,fork,reuseaddr OPENSSL:hooks.example.com:443`, and the address is
/// `http://127.0.0.1:8443/path?host=hooks.example.com`.
///
///     let source = try HTTPTransport().openSource("//:8080/events?max-body=8MiB")
///
/// Thread safety: any thread may open addresses.
public struct HTTPTransport: Transport {
    public let scheme = "http"
    public let summary =
        "Requests of HTTP, //HOST:PORT/PATH; a source of what is posted, on the loopback address where no host is named, and a sink that posts."

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
        [
            CommonOptions.framing, CommonOptions.longest,
            OptionDeclaration(
                "header",
                .choice(["none", "shared"]),
                default: "none",
                help: "'shared': all bodies begin with the same line, such as that of CSV, which is passed on once"
            ),
            OptionDeclaration(
                "max-body",
                .byteCount(16...1 << 30),
                default: "1MiB",
                help: "refuse longer bodies (413)"
            ),
            OptionDeclaration(
                "max-head",
                .byteCount(256...1 << 20),
                default: "16KiB",
                help: "refuse longer heads (431)"
            ),
            OptionDeclaration(
                "memory",
                .byteCount(1024...1 << 40),
                default: "64MiB",
                help: "how much of bodies that are not whole to hold in all; what goes beyond is refused (503)"
            ),
            OptionDeclaration(
                "connections",
                .integer(1...1_000_000),
                default: "256",
                help: "how many may be open at a time; others wait"
            ),
            OptionDeclaration(
                "timeout",
                .duration,
                default: "30s",
                help: "how long a request may take to arrive (408), and its answer to leave"
            ),
            OptionDeclaration(
                "idle",
                .duration,
                default: "1m",
                help: "close connections without a request for this long"
            ),
            CommonOptions.allow, CommonOptions.inherit, CommonOptions.drain,
        ]
    }

    public var sinkOptions: [OptionDeclaration] {
        [
            CommonOptions.framing,
            OptionDeclaration(
                "body",
                .choice(["lines", "array"]),
                default: "lines",
                help: "what a request has: lines as they are, or an array of lines of JSON"
            ),
            OptionDeclaration(
                "type",
                .text(placeholder: "TYPE"),
                help: "its Content-Type; by default that of the body"
            ),
            OptionDeclaration(
                "lines",
                .integer(1...1_000_000),
                help: "put at most this number of lines into a request; otherwise as many as wait, up to 64 KiB"
            ),
            OptionDeclaration(
                "host",
                .text(placeholder: "NAME"),
                help: "the host that requests are for, where the address is that of a proxy"
            ),
            OptionDeclaration("timeout", .duration, default: "30s", help: "how long an answer may take"),
        ] + CommonOptions.buffering
    }

    /// Takes a place apart.
    ///
    /// - Returns: The host and port, and the path.
    private static func split(_ parts: TransportAddress) throws(TransportError) -> (place: String, path: String) {
        guard parts.place.hasPrefix("//") else {
            throw .badAddress(address: parts.whole, reason: "the host is missing; write http://HOST:PORT/PATH")
        }
        let rest = parts.place.dropFirst(2)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = rest[slash...]
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .badAddress(address: parts.whole, reason: "write '%20' for a blank in the path, and so on")
        }
        return ("//" + rest[..<slash], path.isEmpty ? "/" : String(path))
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        let options = parts.options
        let (place, path) = try Self.split(parts)
        var settings = HTTPSourceSettings()
        settings.rules.path = path
        settings.rules.bodyLimit = options.integer("max-body")
        settings.boundary = options.boundary
        settings.lineLimit = options.integer("max-line")
        settings.headLimit = options.integer("max-head")
        settings.sharesHeader = options.text("header") == "shared"
        settings.memory = options.integer("memory")
        settings.connectionLimit = options.integer("connections")
        settings.timeout = options.duration("timeout")
        settings.idle = options.duration("idle")
        settings.drain = options.duration("drain")
        guard !settings.sharesHeader || settings.boundary == .lines else {
            throw .badAddress(address: parts.whole, reason: "header: only lines have a header that is shared")
        }
        let ranges = try options.ranges(address: parts.whole)
        settings.filter = ranges.isEmpty ? nil : .hosts(ranges)
        let meter = TransportMeter()
        return try HTTPSource(
            try SocketListener(port: place, of: parts, inherited: inherited, meter: meter),
            settings: settings,
            meter: meter,
            address: parts.whole,
            interruption: interruption
        )
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        let options = parts.options
        let (place, path) = try Self.split(parts)
        try parts.permitSpillLimit()
        let host = try HostAddress(place, whole: parts.whole, loopback: false)
        guard host.address.port != 0 else {
            throw .badAddress(address: parts.whole, reason: "there is no port 0 to connect to")
        }
        let isArray = options.text("body") == "array"
        guard !isArray || options.boundary == .lines else {
            throw .badAddress(address: parts.whole, reason: "body: only lines become an array")
        }
        let ofBody = isArray ? "application/json" : "application/x-ndjson"
        let type = options.textIfGiven("type") ?? (options.boundary == .lines ? ofBody : "application/octet-stream")
        let name = options.textIfGiven("host") ?? String(place.dropFirst(2))
        guard (type + name).utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
            throw .badAddress(address: parts.whole, reason: "a type and a host are plain letters")
        }
        var settings = HTTPLinkSettings(host: name, path: path, type: type)
        settings.isArray = isArray
        settings.lines = options.integerIfGiven("lines") ?? .max
        settings.timeout = options.duration("timeout")
        let meter = TransportMeter()
        let poller = try Poller(address: parts.whole)
        let link = HTTPLink(.port(host.address), settings, poller: poller, meter: meter, address: parts.whole)
        if let error = link.open() {
            meter.note("'\(parts.whole)' cannot be written to: \(error); it is tried again")
        }
        return try OutboxSink(
            link,
            settings: options.outboxSettings(),
            spill: try options.spill(address: parts.whole),
            poller: poller,
            meter: meter,
            address: parts.whole,
            interruption: interruption
        )
    }
}
