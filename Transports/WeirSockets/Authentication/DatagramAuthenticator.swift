internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Numbers datagrams, so that the receiver can count what is missing, and signs them where there is a key.
///
/// ```text
/// "WD"  version 1  flags  four zeros  sender, 8 bytes  sequence, 8  time, 8  payload  [code, 32]
/// ```
///
/// All numbers begin with the most significant byte. The sender's number is random, so another one after each start; its
/// sequence begins at 0; the time is the sender's, in nanoseconds since the Unix epoch. Bit 0 of the flags says that a
/// code follows: HMAC-SHA256 of everything before it.
///
/// The payload is not encrypted: the code proves who made it, and keeps nothing secret.
final class DatagramAuthenticator: Sendable {
    static let headerLength = 32

    private let key: SigningKey?

    /// Creates an authenticator.
    ///
    /// - Parameter key: Signs the datagrams; without one, they are only numbered.
    init(key: SigningKey?) {
        self.key = key
    }

    /// How much longer a datagram becomes.
    var overhead: Int { Self.headerLength + (key == nil ? 0 : SigningKey.codeLength) }

    // MARK: Receiving

    /// What the check of a datagram found.
    enum Verdict: Equatable {
        /// It is accepted; where its payload is.
        case payload(Range<Int>)
        case refused(TransportMetrics.Rejection)
    }

    /// Verifies a datagram and finds its payload.
    func verify(_ datagram: UnsafeRawBufferPointer, _ senders: ReplayWindow) -> Verdict {
        guard datagram.count >= Self.headerLength, unsafe datagram[0] == UInt8(ascii: "W"),
            unsafe datagram[1] == UInt8(ascii: "D"), unsafe datagram[2] == 1, unsafe datagram[3] <= 1,
            unsafe datagram.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == 0
        else { return .refused(.malformed) }
        let isSigned = unsafe datagram[3] == 1
        var end = datagram.count
        if isSigned {
            end -= SigningKey.codeLength
            guard end >= Self.headerLength else { return .refused(.malformed) }
        }
        // Without a key, a code cannot be checked; with one, a datagram without a code is refused.
        guard isSigned == (key != nil) else { return .refused(.badSignature) }
        if let key {
            let signed = unsafe UnsafeRawBufferPointer(rebasing: datagram[..<end])
            guard let code = unsafe datagram.baseAddress?.advanced(by: end).assumingMemoryBound(to: UInt8.self),
                unsafe key.verify(signed, code)
            else { return .refused(.badSignature) }
        }
        let freshness = unsafe senders.admit(
            sender: number(datagram, 8),
            sequence: number(datagram, 16),
            time: key == nil ? nil : Int64(bitPattern: number(datagram, 24))
        )
        switch freshness {
        case .fresh: return .payload(Self.headerLength..<end)
        case .replayed: return .refused(.replayed)
        case .tooManySenders: return .refused(.notAllowed)
        }
    }

    private func number(_ datagram: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: datagram.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    // MARK: Sending

    /// Writes a datagram.
    ///
    /// - Parameters:
    ///   - payload: What it is about.
    ///   - sender: The sender's number.
    ///   - sequence: How many datagrams it has written before.
    ///   - target: Where to write it; `overhead` longer than the payload.
    func write(
        _ payload: UnsafeRawBufferPointer,
        sender: UInt64,
        sequence: UInt64,
        into target: UnsafeMutableRawBufferPointer
    ) {
        unsafe target.storeBytes(of: UInt32(bigEndian: 0x5744_0100 | (key == nil ? 0 : 1)), as: UInt32.self)
        unsafe target.storeBytes(of: 0, toByteOffset: 4, as: UInt32.self)
        unsafe target.storeBytes(of: sender.bigEndian, toByteOffset: 8, as: UInt64.self)
        unsafe target.storeBytes(of: sequence.bigEndian, toByteOffset: 16, as: UInt64.self)
        unsafe target.storeBytes(of: cweir_net_wall_clock().bigEndian, toByteOffset: 24, as: Int64.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[Self.headerLength...]).copyMemory(from: payload)
        guard let key else { return }
        let end = Self.headerLength + payload.count
        guard let code = unsafe target.baseAddress?.advanced(by: end).assumingMemoryBound(to: UInt8.self) else {
            return
        }
        unsafe key.sign(UnsafeRawBufferPointer(rebasing: target[..<end]), into: code)
    }

    /// An unpredictable number for a sender.
    static func randomSender() -> UInt64 {
        var number: UInt64 = 0
        let status = unsafe withUnsafeMutableBytes(of: &number) { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe cweir_net_random(start, bytes.count)
        }
        return status == 0 ? number : .random(in: .min ... .max)
    }
}
