/// A block of IP addresses such as `10.0.0.0/8` or `fe80::/10`.
///
/// Thread safety: a value.
package struct AddressBlock: Sendable, Hashable {
    /// An address of 4 or 16 bytes.
    private struct Address: Hashable {
        var bits: UInt128
        var count: Int
    }

    private let first: Address

    /// How many bits are those of the block.
    private let prefix: Int

    /// Reads a block; without `/`, of one address.
    ///
    /// - Returns: `nil` where the text is no block.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.address(parts[0].utf8) else { return nil }
        prefix = parts.count == 1 ? address.count : parts[1].utf8.count <= 3 ? Self.number(parts[1].utf8) ?? -1 : -1
        guard (0...address.count).contains(prefix) else { return nil }
        first = address
    }

    /// Whether a text is an address of the block.
    package func contains(_ text: String) -> Bool {
        guard let address = Self.address(text[...].utf8), address.count == first.count else { return false }
        let shift = address.count - prefix
        return shift >= UInt128.bitWidth || (address.bits ^ first.bits) >> UInt128(shift) == 0
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func address(_ text: Substring.UTF8View) -> Address? {
        guard text.count <= 45 else { return nil }
        return text.contains(UInt8(ascii: ":")) ? longAddress(text) : shortAddress(text)
    }

    private static func shortAddress(_ text: Substring.UTF8View) -> Address? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt128 = 0
        for part in parts {
            guard part.count <= 3, let number = number(part), number < 256 else { return nil }
            bits = bits << 8 | UInt128(number)
        }
        return Address(bits: bits, count: 32)
    }

    private static func longAddress(_ text: Substring.UTF8View) -> Address? {
        var groups: [UInt16] = []
        var gap: Int?
        var rest = text
        if rest.starts(with: "::".utf8) {
            gap = 0
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let part = rest.prefix { $0 != UInt8(ascii: ":") }
            if part.contains(UInt8(ascii: ".")) {
                guard part.endIndex == rest.endIndex, let last = shortAddress(part) else { return nil }
                groups += [UInt16(truncatingIfNeeded: last.bits >> 16), UInt16(truncatingIfNeeded: last.bits)]
                break
            }
            guard (1...4).contains(part.count), let group = UInt16(Substring(part), radix: 16),
                part.first != UInt8(ascii: "+")
            else { return nil }
            groups.append(group)
            rest = rest[part.endIndex...]
            guard !rest.isEmpty else { break }
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                gap = groups.count
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        guard gap == nil ? groups.count == 8 : groups.count < 8 else { return nil }
        if let gap { groups.insert(contentsOf: [UInt16](repeating: 0, count: 8 - groups.count), at: gap) }
        return Address(bits: groups.reduce(0) { $0 << 16 | UInt128($1) }, count: 128)
    }
}
