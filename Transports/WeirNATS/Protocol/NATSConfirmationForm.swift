internal import CWeirSockets
internal import WeirCore

/// What a stream says of each message that it has kept: the same bytes, and numbers between them.
///
/// The first one is read as JSON. What says the same of another message is known by its bytes, which costs a tenth of that.
struct NATSConfirmationForm {
    /// The operation and the subject, up to the number of the message; and what is between that and the length.
    private let start: [UInt8]
    private let subscription: [UInt8]

    /// The payload up to the number in the stream, which a brace follows; empty where nothing was kept yet.
    private var payload: [UInt8] = []

    private static let lineEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    private static let brace = UInt8(ascii: "}")

    /// - Parameters:
    ///   - inbox: What the subjects begin with, up to the last dot.
    ///   - subscription: Its number.
    init(inbox: String, subscription: UInt64) {
        start = Array("MSG \(inbox).".utf8)
        self.subscription = Array(" \(subscription) ".utf8)
    }

    /// Notes how a stream has said that it keeps a message.
    mutating func note(_ payload: ArraySlice<UInt8>) {
        guard payload.last == Self.brace else { return }
        let digits = payload.dropLast().reversed().prefix { $0 &- UInt8(ascii: "0") < 10 }.count
        if digits > 0 { self.payload = Array(payload.dropLast(digits + 1)) }
    }

    /// Reads the confirmations at the start of some bytes, up to the first that is not whole or anything else.
    ///
    /// - Parameters:
    ///   - bytes: What a server has sent, from the beginning of an operation on.
    ///   - note: Called with the number of each message.
    /// - Returns: How many bytes were read.
    func read(_ bytes: UnsafeBufferPointer<UInt8>, _ note: (UInt64) -> Void) -> Int {
        guard let first = bytes.baseAddress, !payload.isEmpty else { return 0 }
        var rest = unsafe Rest(next: first, end: first + bytes.count)
        var place = unsafe first
        while unsafe rest.take(start), let number = unsafe rest.takeNumber(), unsafe rest.take(subscription),
            let length = unsafe rest.takeNumber(), unsafe rest.take(Self.lineEnd), unsafe length <= UInt64(rest.count),
            let end = unsafe Optional(rest.next + Int(length)),
            unsafe rest.take(payload), unsafe rest.takeNumber() != nil, unsafe rest.take(Self.brace),
            unsafe rest.next == end,
            unsafe rest.take(Self.lineEnd)
        {
            note(number)
            unsafe place = rest.next
        }
        return unsafe place - first
    }

    /// What is still to be read.
    @unsafe
    private struct Rest {
        var next: UnsafePointer<UInt8>
        let end: UnsafePointer<UInt8>

        var count: Int { unsafe end - next }

        mutating func take(_ byte: UInt8) -> Bool {
            guard unsafe next < end, unsafe next.pointee == byte else { return false }
            unsafe next += 1
            return true
        }

        mutating func take(_ bytes: [UInt8]) -> Bool {
            guard unsafe cweir_net_starts_with(next, count, bytes, bytes.count) else { return false }
            unsafe next += bytes.count
            return true
        }

        /// Takes a number of up to 18 digits.
        mutating func takeNumber() -> UInt64? {
            var number: UInt64 = 0
            let limit = unsafe min(end, next + min(count, 18))
            let first = unsafe next
            while unsafe next < limit {
                let digit = unsafe next.pointee &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                number = number &* 10 &+ UInt64(digit)
                unsafe next += 1
            }
            return unsafe next > first ? number : nil
        }
    }
}
