internal import CWeirSockets

/// A range of addresses, written like `10.0.0.0/8`, `192.168.1.7` or `fd00::/8` (CIDR, RFC 4632 and RFC 4291).
struct NetworkRange: Equatable {
    private let high: UInt64
    private let low: UInt64
    private let length: Int

    /// Reads a range; `nil` for anything else, also for bits behind the prefix that are not zero: they are a slip.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var bytes = [UInt8](repeating: 0, count: 16)
        let family = unsafe cweir_net_parse_number(String(parts[0]), &bytes)
        guard family != 0 else { return nil }
        let isOld = family == Int32(CWEIR_NET_IPV4.rawValue)
        let width = isOld ? 32 : 128
        var prefix = width
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let given = Int(parts[1]), given <= width
            else { return nil }
            prefix = given
        }
        let host = HostNumber(bytes, isIPv4: isOld)
        high = host.high
        low = host.low
        length = prefix + (128 - width)
        guard host.masked(to: length) == host else { return nil }
    }

    /// Whether an address lies in the range.
    func contains(_ host: HostNumber) -> Bool {
        let masked = host.masked(to: length)
        return masked.high == high && masked.low == low
    }
}

/// The number of a host: one of IPv6, or one of IPv4 in the way that IPv6 writes it, `::ffff:1.2.3.4`.
struct HostNumber: Equatable {
    var high: UInt64
    var low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the bytes of an address, of which there are 16, and of which IPv4 uses 4.
    init(_ bytes: some Collection<UInt8>, isIPv4: Bool) {
        if isIPv4 {
            high = 0
            low = bytes.prefix(4).reduce(0xffff) { $0 << 8 | UInt64($1) }
        } else {
            high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The number with zeros behind its first bits.
    func masked(to length: Int) -> HostNumber {
        HostNumber(
            high: high & (length >= 64 ? .max : ~(UInt64.max >> UInt64(length))),
            low: low & (length <= 64 ? 0 : ~(UInt64.max >> UInt64(length - 64)))
        )
    }
}
