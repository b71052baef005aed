internal import WeirCore

/// The part of an address behind the scheme, taken apart: a place, and options after the last `?`.
///
/// ```text
/// unix:/run/weir.sock?mode=0660&connections=10
/// ```
///
/// In names and values of options, `%26` stands for `&` and so on; a place is taken as it is. A place that contains a
/// `?` itself ends in one: `file:what?.csv?`.
package struct TransportAddress: Sendable {
    /// Where it is.
    package let place: String

    /// The values of the options: what was given, or the defaults.
    package let options: OptionValues

    /// The address with its scheme, for messages.
    package let whole: String

    package let given: Set<String>

    /// Takes an address apart.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)`` for options that there are not, or values that make no
    ///   sense.
    package init(
        _ address: String,
        scheme: String,
        options declarations: [OptionDeclaration],
        others: [OptionDeclaration] = [],
        direction: String
    ) throws(TransportError) {
        func refuse(_ reason: String) -> TransportError {
            .badAddress(address: "\(scheme):\(Self.withoutSecrets(address, of: scheme))", reason: reason)
        }
        let mark = Self.mark(in: address)
        place = String(address[..<(mark ?? address.endIndex)])
        whole = "\(scheme):\(Self.withoutSecrets(address, of: scheme))"
        var given: [String: String] = [:]
        let query = mark.map { address.utf8[address.utf8.index(after: $0)...] } ?? ""[...].utf8
        for pair in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(sides[0]), let value = sides.count > 1 ? Self.decode(sides[1]) : "true" else {
                throw refuse(
                    "'\(Substring(pair))' has a '%' without two hexadecimal digits behind it; write '%25' for a '%'"
                )
            }
            guard let declaration = declarations.first(where: { $0.name == name }) else {
                // Not quoted: it may be a part of a password.
                if name.contains("@") { throw refuse("a '?' in a password is written '%3F'") }
                if others.contains(where: { $0.name == name }) {
                    throw refuse("'\(name)' is no option of \(direction)")
                }
                let names = declarations.map(\.name)
                throw refuse(
                    "there is no option '\(name)'"
                        + Suggestion.text(
                            for: name,
                            among: names,
                            otherwise: "'weir list transports' lists them; a '?' in a path takes another '?' at the end"
                        )
                )
            }
            if sides.count == 1 {
                guard case .flag = declaration.kind else {
                    throw refuse("'\(name)' lacks its value; write '\(name)=…'")
                }
            }
            guard given.updateValue(value, forKey: name) == nil else { throw refuse("'\(name)' is given twice") }
        }
        self.given = Set(given.keys)
        do throws(PluginError) {
            options = try OptionValues(declarations, given: given)
        } catch {
            guard case .invalidOption(let name, let reason) = error else { throw refuse("\(error)") }
            throw refuse("\(name): \(reason)")
        }
    }

    /// Takes the address of a source apart.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)``.
    package init(ofSource address: String, _ transport: some Transport) throws(TransportError) {
        try self.init(
            address,
            scheme: transport.scheme,
            options: transport.sourceOptions,
            others: transport.sinkOptions,
            direction: "a source"
        )
    }

    /// Takes the address of a sink apart.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)``.
    package init(ofSink address: String, _ transport: some Transport) throws(TransportError) {
        try self.init(
            address,
            scheme: transport.scheme,
            options: transport.sinkOptions,
            others: transport.sourceOptions,
            direction: "a sink"
        )
    }

    /// Refuses options that would do nothing.
    ///
    /// - Throws: ``TransportError/badAddress(address:reason:)`` where one of them was given all the same.
    package func permit(_ names: [String], if isUseful: Bool, otherwise reason: String) throws(TransportError) {
        guard !isUseful, let name = names.first(where: given.contains) else { return }
        throw .badAddress(address: whole, reason: "'\(name)' \(reason)")
    }

    /// The place of an address, without its options.
    ///
    /// - Returns: What stands before the last `?`.
    package static func place(of address: String) -> String {
        String(address[..<(mark(in: address) ?? address.endIndex)])
    }

    /// The schemes whose addresses may name who asks, and with which password.
    private static let schemesWithUsers: Set = ["nats"]

    /// An address as it may be shown: without what stands before the `@` in front of a host.
    ///
    /// What is wrong in an address may be a character of the password that should have been written another way, so nothing
    /// before the last `@` is shown.
    ///
    /// - Parameters:
    ///   - address: The part of an address after the colon.
    ///   - scheme: The part before it.
    /// - Returns: The same, where it has no such part.
    package static func withoutSecrets(_ address: String, of scheme: String) -> String {
        guard schemesWithUsers.contains(scheme), let at = address.lastIndex(of: "@") else { return address }
        return "//***" + address[at...]
    }

    /// The last `?`.
    ///
    /// By its byte: it is part of a character where a combining mark follows it.
    private static func mark(in address: String) -> String.Index? { address.utf8.lastIndex(of: UInt8(ascii: "?")) }

    /// Replaces each `%` and the two digits behind it with their byte.
    ///
    /// - Returns: `nil` where two digits are missing, or the text is not UTF-8.
    package static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst()) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
