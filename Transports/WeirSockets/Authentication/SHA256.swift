internal import CWeirSockets

/// The hash function SHA-256 (FIPS 180-4).
enum SHA256 {
    /// The hash of some bytes, 32 bytes.
    static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = cweir_sha256_t()
        unsafe cweir_sha256_begin(&hash)
        let copy = Array(bytes)
        unsafe copy.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe cweir_sha256_add(&hash, start, bytes.count) }
        }
        var digest = [UInt8](repeating: 0, count: Int(CWEIR_SHA256_LENGTH))
        unsafe cweir_sha256_end(&hash, &digest)
        return digest
    }
}

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
