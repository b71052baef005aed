import CWeirSockets
import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import WeirSockets

@Suite struct AuthenticationTests {
    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = cweir_sha256_t()
        unsafe cweir_sha256_begin(&hash)
        unsafe cweir_sha256_add(&hash, bytes + [0], bytes.count)
        var digest = [UInt8](repeating: 0, count: Int(CWEIR_SHA256_LENGTH))
        unsafe cweir_sha256_end(&hash, &digest)
        return digest
    }

    // FIPS 180-4 and the examples of its authors.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func hashes(text: String, digest: String) {
        #expect(hex(Self.hash(Array(text.utf8))) == digest)
    }

    @Test func hashesAMillionLetters() {
        let digest = Self.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(hex(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    // RFC 4231.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func signs(key: [UInt8], text: [UInt8], code: String) {
        var made = [UInt8](repeating: 0, count: 32)
        let key = SigningKey(key)
        unsafe text.withUnsafeBytes { text in unsafe key.sign(text, into: &made) }
        #expect(hex(made) == code)
        let verified = unsafe text.withUnsafeBytes { text in unsafe key.verify(text, made) }
        #expect(verified)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    // MARK: Datagrams

    private func wrapped(_ authenticator: DatagramAuthenticator, _ payload: String, sequence: UInt64) -> [UInt8] {
        let payload = Array(payload.utf8)
        var target = [UInt8](repeating: 0xff, count: payload.count + authenticator.overhead)
        unsafe target.withUnsafeMutableBytes { target in
            unsafe payload.withUnsafeBytes { payload in
                unsafe authenticator.write(payload, sender: 77, sequence: sequence, into: target)
            }
        }
        return target
    }

    private func open(_ authenticator: DatagramAuthenticator, _ datagram: [UInt8], _ senders: ReplayWindow) -> String {
        unsafe datagram.withUnsafeBytes { bytes in
            switch unsafe authenticator.verify(bytes, senders) {
            case .payload(let range): String(decoding: datagram[range], as: UTF8.self)
            case .refused(let cause): cause.rawValue
            }
        }
    }

    @Test func acceptsWhatItWroteOnce() {
        for authenticator in [
            DatagramAuthenticator(key: nil), DatagramAuthenticator(key: SigningKey(Array("0123456789abcdef".utf8))),
        ] {
            let senders = ReplayWindow(window: .seconds(30))
            let datagram = wrapped(authenticator, "payload", sequence: 0)
            #expect(open(authenticator, datagram, senders) == "payload")
            #expect(open(authenticator, datagram, senders) == "replayed")
            #expect(open(authenticator, wrapped(authenticator, "", sequence: 1), senders) == "")
        }
    }

    @Test func aChangeOfAnyBitIsFound() {
        let authenticator = DatagramAuthenticator(key: SigningKey(Array("0123456789abcdef".utf8)))
        let senders = ReplayWindow(window: .seconds(30))
        let datagram = wrapped(authenticator, "pay", sequence: 5)
        for index in datagram.indices {
            for bit in 0..<8 {
                var changed = datagram
                changed[index] ^= 1 << bit
                #expect(
                    ["malformed", "bad signature"].contains(open(authenticator, changed, senders)),
                    "byte \(index)"
                )
            }
        }
        for count in 0..<datagram.count {
            #expect(
                ["malformed", "bad signature"].contains(open(authenticator, Array(datagram.prefix(count)), senders))
            )
        }
        #expect(senders.lost == 0, "what proves nothing leaves no trace")
        #expect(open(authenticator, datagram, senders) == "pay")
    }

    @Test func theOtherKeyOrNoneIsRefused() {
        let authenticator = DatagramAuthenticator(key: SigningKey(Array("0123456789abcdef".utf8)))
        let other = DatagramAuthenticator(key: SigningKey(Array("0123456789abcdeF".utf8)))
        let plain = DatagramAuthenticator(key: nil)
        let senders = ReplayWindow(window: .seconds(30))
        #expect(open(other, wrapped(authenticator, "x", sequence: 0), senders) == "bad signature")
        #expect(open(authenticator, wrapped(plain, "x", sequence: 0), senders) == "bad signature")
        #expect(open(plain, wrapped(authenticator, "x", sequence: 0), senders) == "bad signature")
    }

    @Test func theTableAgreesWithASetOfNumbers() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let table = ReplayWindow(window: .seconds(30))
            var seen: Set<UInt64> = []
            var highest: UInt64 = 0
            for step in 0..<3000 {
                let back = UInt64.random(in: 0...1500, using: &random)
                let isJump = Int.random(in: 0..<50, using: &random) == 0
                let sequence = step == 0 ? 3 : isJump ? highest + back : (highest + 2) &- min(highest + 2, back / 100)
                let isOld = highest >= 1024 && sequence <= highest - 1024
                let verdict = table.admit(sender: 1, sequence: sequence, time: nil)
                if isOld || seen.contains(sequence) {
                    #expect(verdict == .replayed, "seed \(seed), \(sequence) after \(highest)")
                } else {
                    #expect(verdict == .fresh, "seed \(seed), \(sequence) after \(highest)")
                    seen.insert(sequence)
                    highest = max(highest, sequence)
                }
                #expect(table.lost == highest + 1 - UInt64(seen.count), "seed \(seed)")
            }
        }
    }

    /// A receiver that was started again has forgotten what came, and must not take it twice.
    @Test func whatWasSignedBeforeTheReceiverBeganIsRefused() {
        let before = ReplayWindow(window: .seconds(30), notBefore: 990_000_000_000, clock: { 1_000_000_000_000 })
        #expect(before.admit(sender: 1, sequence: 0, time: 1_000_000_000_000) == .fresh)
        let after = ReplayWindow(window: .seconds(30), notBefore: 1_001_000_000_000, clock: { 1_002_000_000_000 })
        #expect(after.admit(sender: 1, sequence: 0, time: 1_000_000_000_000) == .replayed)
        #expect(after.admit(sender: 1, sequence: 1, time: 1_001_000_000_000) == .fresh)
        // Without a key nobody vouches for the time.
        #expect(after.admit(sender: 2, sequence: 0, time: nil) == .fresh)
    }

    @Test func whatIsOldOrFromTheFutureIsAReplay() {
        let table = ReplayWindow(window: .seconds(30), clock: { 1_000_000_000_000 })
        #expect(table.admit(sender: 1, sequence: 0, time: 970_000_000_000) == .fresh)
        #expect(table.admit(sender: 1, sequence: 1, time: 969_999_999_999) == .replayed)
        #expect(table.admit(sender: 1, sequence: 1, time: 1_030_000_000_000) == .fresh)
        #expect(table.admit(sender: 1, sequence: 2, time: 1_030_000_000_001) == .replayed)
        #expect(table.admit(sender: 1, sequence: 2, time: .min) == .replayed)
        #expect(table.admit(sender: 1, sequence: 2, time: .max) == .replayed)
        #expect(table.admit(sender: 1, sequence: .max, time: nil) == .replayed)
    }

    @Test func whatWasSentBeforeTheTableBeganIsNotMissed() {
        let table = ReplayWindow(window: .seconds(30))
        for sequence in [5000, 5003, 4999, 4998] as [UInt64] {
            #expect(table.admit(sender: 1, sequence: sequence, time: nil) == .fresh)
        }
        #expect(table.lost == 2)
    }

    @Test func numbersOfStrangersDoNotOverflowTheCount() {
        // Without a key, any sender can send any number.
        let table = ReplayWindow(window: .seconds(30))
        for sender in 0..<10 as Range<UInt64> {
            #expect(table.admit(sender: sender, sequence: 0, time: nil) == .fresh)
            #expect(table.admit(sender: sender, sequence: 1 << 62 - 1, time: nil) == .fresh)
            #expect(table.admit(sender: sender, sequence: 1 << 62, time: nil) == .replayed)
        }
        #expect(table.lost > 1 << 61)
    }

    @Test func aFullTableForgetsWhoWasSilentLongest() {
        let clock = Locked(Int64(0))
        let table = ReplayWindow(window: .seconds(30), clock: { clock.withLock { $0 } })
        for sender in 0..<4096 as Range<UInt64> { #expect(table.admit(sender: sender, sequence: 0, time: 0) == .fresh) }
        // A sender that signs cannot be forgotten before its datagrams are too old to be replayed.
        #expect(table.admit(sender: 5000, sequence: 0, time: 0) == .tooManySenders)
        clock.withLock { $0 = 60_000_000_000 }
        #expect(table.admit(sender: 5000, sequence: 0, time: 60_000_000_000) == .fresh)
        // Without signatures, any sender could fill the table, so the oldest entry is evicted at once.
        #expect(table.admit(sender: 5001, sequence: 0, time: nil) == .fresh)
    }

    @Test func aKeyFileIsForItsOwner() throws {
        let folder = try Folder()
        _ = try KeyFile.read(try folder.write("key", "0123456789abcdef\n"), address: "test")
        for (name, text, mode) in [("open", "0123456789abcdef", 0o640), ("short", "0123456789abcde\n", 0o600)] {
            let path = try folder.write(name, text, mode: mode)
            #expect(throws: TransportError.self, "\(name)") { try KeyFile.read(path, address: "test") }
        }
        #expect(throws: TransportError.self) { try KeyFile.read(folder("none"), address: "test") }
        #expect(throws: TransportError.self) { try KeyFile.read(folder.path, address: "test") }
        let long = try folder.write("long", String(repeating: "x", count: 4097))
        #expect(throws: TransportError.self) { try KeyFile.read(long, address: "test") }
    }

    @Test func aLinkToAKeyIsAsOpenAsTheKey() throws {
        let folder = try Folder()
        for (name, mode) in [("key", 0o600), ("open", 0o644)] {
            try folder.write(name, "0123456789abcdef\n", mode: mode)
            let link = folder(name + ".link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
            if mode == 0o600 {
                _ = try KeyFile.read(link, address: "test")
            } else {
                #expect(throws: TransportError.self) { try KeyFile.read(link, address: "test") }
            }
        }
    }

    @Test func aWindowCanBeLongerThanTimeItself() {
        for seconds in [5_000_000_000.5, 4_611_686_018.9, 1e12] {
            let table = ReplayWindow(window: .seconds(seconds), clock: { 1_000_000_000_000 })
            #expect(table.admit(sender: 1, sequence: 0, time: 0) == .fresh, "\(seconds) s")
            #expect(Duration.seconds(seconds).inNanoseconds <= .max / 2)
        }
    }
}
