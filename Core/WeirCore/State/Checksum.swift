internal import CWeir

/// CRC-32C (Castagnoli), by the processor's instruction or, where it has none, eight bytes at a time by tables (Kounavis
/// and Berry, "A systematic approach to building high performance software-based CRC generators", 2005).
package enum Checksum {
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 0 ? remainder >> 1 : (remainder >> 1) ^ 0x82F6_3B78
            }
            tables[byte] = remainder
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// The checksum of some bytes.
    ///
    /// - Complexity: O(*n*), no allocation.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 { unsafe of(bytes, behind: 0) }

    /// The checksum of some bytes behind others.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - checksum: That of those before them; 0 where there are none.
    /// - Returns: The checksum of all.
    package static func of(_ bytes: ArraySlice<UInt8>, behind checksum: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe of($0, behind: checksum) }
    }

    private static func of(_ bytes: UnsafeRawBufferPointer, behind checksum: UInt32) -> UInt32 {
        if let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
            var remainder = ~checksum
            if unsafe cweir_checksum(base, bytes.count, &remainder) { return ~remainder }
        }
        return unsafe byTables(bytes, behind: checksum)
    }

    /// The same, without the instruction.
    static func byTables(_ bytes: UnsafeRawBufferPointer, behind checksum: UInt32 = 0) -> UInt32 {
        unsafe tables.withUnsafeBufferPointer { tables in
            var remainder = ~checksum
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let mixed = word ^ UInt64(remainder)
                remainder = 0
                for byte in 0..<8 {
                    remainder ^= unsafe tables[(7 - byte) * 256 + Int((mixed >> (8 * UInt64(byte))) & 0xFF)]
                }
                offset += 8
            }
            while offset < bytes.count {
                remainder = unsafe (remainder >> 8) ^ tables[Int((remainder ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
            return ~remainder
        }
    }

    /// The checksum of a part of an array that is to change: a slice that is alive then makes the array copy itself.
    package static func of(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe of(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
