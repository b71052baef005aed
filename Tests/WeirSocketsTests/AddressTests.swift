import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirSockets

@Suite struct AddressTests {
    @Test func aRangeHoldsTheAddressesWithItsPrefix() throws {
        var random = SeededGenerator(7)
        for _ in 0..<3000 {
            let isOld = Bool.random(using: &random)
            let width = isOld ? 32 : 128
            let length = Int.random(in: 0...width, using: &random)
            var bits = (0..<width).map { _ in Bool.random(using: &random) }
            for index in length..<width { bits[index] = false }
            let range = try #require(NetworkRange("\(text(bits))/\(length)"))
            var other = bits
            for index in length..<width { other[index] = Bool.random(using: &random) }
            if Bool.random(using: &random), width > 0 { other[.random(in: 0..<width, using: &random)].toggle() }
            let host = HostNumber(bytes(other), isIPv4: isOld)
            #expect(range.contains(host) == (other.prefix(length) == bits.prefix(length)), "\(text(bits))/\(length)")
        }
    }

    private func bytes(_ bits: [Bool]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    private func text(_ bits: [Bool]) -> String {
        let bytes = bytes(bits)
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "::1/129", "10.0.0.0/", "/8", "10.0.0.0/+8", "10.0.0.0/8/8", "x",
        "fe80::1/64", "1.2.3.4 ",
    ])
    func refusesWhatIsNoRange(text: String) {
        #expect(NetworkRange(text) == nil)
    }

    @Test func anAddressOfIPv4IsNotOneOfIPv6() throws {
        let all = try #require(NetworkRange("::/0"))
        #expect(all.contains(HostNumber([1, 2, 3, 4], isIPv4: true)), "IPv6 knows the addresses of IPv4 as its own")
        let old = try #require(NetworkRange("0.0.0.0/0"))
        #expect(!old.contains(HostNumber([UInt8](repeating: 0, count: 16), isIPv4: false)))
    }

    /// A combining mark makes one character of what stands before it.
    @Test(arguments: [
        ("x?mode=0640&\u{301}", "there is no option '\u{301}'"),
        ("x?mode\u{301}=1", "there is no option 'mode\u{301}'"),
        ("x?\u{301}=1", "there is no option '\u{301}'"), ("x?idle=\u{301}", "idle: "),
    ])
    func marksSeparateOptionsWhateverFollows(address: String, reason: String) {
        let refusal = #expect(throws: TransportError.self) {
            try TransportAddress(ofSource: address, UnixTransport(interruption: nil))
        }
        #expect(refusal.map { "\($0)".contains(reason) } == true, "\(refusal as Any)")
        #expect(TransportAddress.place(of: address) == "x")
    }

    @Test(arguments: [
        ("//127.0.0.1:9000", 9000), ("127.0.0.1:1", 1), ("//:0", 0), ("//[::1]:65535", 65535), ("//*:7", 7),
        ("//localhost:8", 8),
    ])
    func readsHostsAndPorts(place: String, port: Int) throws {
        let address = try HostAddress(place, whole: "test", loopback: true)
        #expect(Int(address.address.port) == port)
    }

    @Test(arguments: [
        "", "//", "//127.0.0.1", "//127.0.0.1:", "//127.0.0.1:65536", "//127.0.0.1:-1", "//127.0.0.1:+1", "//::1:9",
        "//[::1]", "//300.1.1.1:5", "//no such host.invalid:5",
    ])
    func refusesWhatIsNoHostAndPort(place: String) {
        #expect(throws: TransportError.self) { try HostAddress(place, whole: "test", loopback: true) }
    }

    @Test func optionsStandBehindTheLastQuestionMark() throws {
        let options = [
            OptionDeclaration("size", .byteCount(1...1 << 20), default: "4KiB", help: ""),
            OptionDeclaration("on", .flag, default: "false", help: ""),
            OptionDeclaration("name", .text(placeholder: "NAME"), help: ""),
        ]
        func read(_ text: String) throws(TransportError) -> TransportAddress {
            try TransportAddress(text, scheme: "x", options: options, direction: "a source")
        }
        let plain = try read("place")
        #expect(plain.place == "place" && plain.options.integer("size") == 4096 && !plain.options.flag("on"))
        let given = try read("a?b?size=1kb&on&name=%26%c3%bc=1")
        #expect(given.place == "a?b" && given.options.integer("size") == 1000 && given.options.flag("on"))
        #expect(given.options.text("name") == "&ü=1")
        #expect(try read("what?.csv?").place == "what?.csv")
        for (text, reason) in [
            ("a?siz=1", "there is no option 'siz'; did you mean 'size'?"),
            ("a?size=1&size=2", "'size' is given twice"),
            ("a?size=2MiB", "size: 2MiB is not between 1 and 1MiB"),
            ("a?size", "'size' lacks its value; write 'size=…'"),
            ("a?on=yes", "on: 'yes' is not true or false"),
            ("a?name=%2", "'name=%2' has a '%' without two hexadecimal digits behind it; write '%25' for a '%'"),
        ] {
            #expect(throws: TransportError.badAddress(address: "x:" + text, reason: reason)) { try read(text) }
        }
    }

    @Test func anOptionOfTheOtherDirectionIsKnownAsSuch() {
        #expect(
            throws: TransportError.badAddress(
                address: "udp://127.0.0.1:9?workers=2",
                reason: "'workers' is no option of a sink"
            )
        ) {
            try UDPTransport().openSink("//127.0.0.1:9?workers=2")
        }
    }

    @Test func anOptionThatWouldDoNothingIsRefused() throws {
        let folder = try Folder()
        func reason(_ open: () throws -> Void) -> String {
            do {
                try open()
                return "it was taken"
            } catch {
                return "\(error)"
            }
        }
        let unix = UnixTransport()
        for (options, words) in [("connect=true&mode=0660", "'mode' means nothing"), ("retry=1s", "'retry' takes")] {
            #expect(reason { _ = try unix.openSource(folder("s?") + options) }.contains(words))
        }
        for (options, words) in [
            ("mode=0660", "'mode' takes 'listen=true'"), ("listen=true&retry=1s", "'retry' means nothing"),
            ("spill-limit=1MiB", "'spill-limit' takes 'spill=FILE'"),
        ] {
            #expect(reason { _ = try unix.openSink(folder("s?") + options) }.contains(words))
        }
        for (options, words) in [("window=1s", "'window' takes 'key=FILE'"), ("interface=lo", "takes a multicast")] {
            #expect(reason { _ = try UDPTransport().openSource("//:0?" + options) }.contains(words))
        }
        #expect(reason { _ = try UDPTransport().openSink("//127.0.0.1:9?hops=3") }.contains("takes a multicast"))
    }
}
