extension [UInt8] {
    @inlinable
    package mutating func appendFixed<Number: FixedWidthInteger>(_ number: Number) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    @inlinable
    package mutating func replaceFixed(_ number: UInt32, at offset: Int) {
        for byte in 0..<4 { self[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte))) }
    }

    /// Appends a number in groups of seven bits, the lowest first; all but the last one have their top bit set.
    @inlinable
    package mutating func appendVariable(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    @inlinable
    package mutating func appendText(_ text: String) {
        appendVariable(UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

/// Reads numbers and text from untrusted bytes; nil means that there is none at the offset.
package struct ByteCursor {
    package let bytes: [UInt8]
    package var offset: Int
    package let end: Int

    @inlinable
    package init(_ bytes: [UInt8], from offset: Int, to end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = Swift.min(end, bytes.count)
    }

    @inlinable
    package var isAtEnd: Bool { offset >= end }

    @inlinable
    package mutating func byte() -> UInt8? {
        guard offset < end else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    @inlinable
    package mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard end - offset >= size else { return nil }
        defer { offset += size }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }

    @inlinable
    package mutating func variable() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte() {
            let part = UInt64(next & 0x7F)
            guard shift < 63 || (shift == 63 && part <= 1) else { return nil }
            number |= part << shift
            guard next >= 0x80 else { return number }
            shift += 7
        }
        return nil
    }

    /// Moves over as many bytes as the number at the offset says, and returns where they are.
    @inlinable
    package mutating func run() -> Range<Int>? {
        guard let length = variable(), length <= UInt64(end - offset) else { return nil }
        let start = offset
        offset += Int(length)
        return start..<offset
    }

    @inlinable
    package mutating func text() -> String? {
        guard let run = run() else { return nil }
        return String(validating: bytes[run], as: UTF8.self)
    }
}
