internal import CWeirSockets

/// A key for the message authentication code HMAC with SHA-256 (RFC 2104).
///
/// Thread safety: any thread; it does not change.
struct SigningKey: Sendable {
    static let codeLength = Int(CWEIR_SHA256_LENGTH)

    private let key: cweir_hmac_key_t

    /// Creates a key from bytes; 32 random ones are as many as are of use.
    init(_ bytes: [UInt8]) {
        var key = cweir_hmac_key_t()
        // An empty array may have no address, and C wants one.
        let padded = bytes + [0]
        unsafe cweir_hmac_key_make(&key, padded, bytes.count)
        self.key = key
    }

    /// Writes the code of some bytes, 32 bytes.
    func sign(_ bytes: UnsafeRawBufferPointer, into code: UnsafeMutablePointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        unsafe withUnsafePointer(to: key) { unsafe cweir_hmac_sign($0, start, bytes.count, code) }
    }

    /// Whether a code is that of some bytes.
    func verify(_ bytes: UnsafeRawBufferPointer, _ code: UnsafePointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return unsafe withUnsafePointer(to: key) { unsafe cweir_hmac_verify($0, start, bytes.count, code) }
    }
}
