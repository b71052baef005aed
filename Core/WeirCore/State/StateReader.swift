/// Reads what a ``StateWriter`` has written, in the same order.
///
/// Thread safety: one thread at a time.
public struct StateReader: ~Copyable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    // An index of the bytes.
    @usableFromInline var offset: Int
    // Of the part that may be read.
    @usableFromInline var end: Int
    let codecs: StateCodecs

    init(_ bytes: ArraySlice<UInt8>, _ codecs: StateCodecs) {
        self.bytes = bytes
        self.codecs = codecs
        offset = bytes.startIndex
        end = bytes.endIndex
    }

    /// Reads a value.
    ///
    /// - Parameter type: The type of the value that was written; not an optional of it.
    /// - Returns: The value.
    /// - Throws: ``StateError``, when the bytes are not those of such a value.
    public mutating func read<Value>(_ type: Value.Type) throws(StateError) -> Value {
        try codecs.codec(for: type).value(type, from: &self)
    }

    /// Reads bytes that were written with their number.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``StateError/damaged(_:offset:)``.
    public mutating func readBytes() throws(StateError) -> [UInt8] {
        Array(try readSlice())
    }

    /// Reads bytes that were written with their number, and stay where they are.
    package mutating func readSlice() throws(StateError) -> ArraySlice<UInt8> {
        let count = try count(ofElementsWithAtLeast: 1)
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// How many bytes are left of the part that may be read.
    @inlinable var remaining: Int { end - offset }

    /// Says that something is wrong at the present place, for a ``StateCodable`` type that reads a value it cannot have.
    ///
    /// - Parameter what: What is wrong.
    /// - Returns: The error to throw.
    public func damage(_ what: String) -> StateError {
        .damaged(what, offset: offset - bytes.startIndex)
    }

    /// Reads an integer, as ``read(_:)`` does, without looking for the codec of its type.
    @inlinable
    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(StateError) -> Number {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw damage("\(size) bytes are missing") }
        defer { offset += size }
        return unsafe Number(
            littleEndian: bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset - bytes.startIndex, as: type)
            }
        )
    }

    mutating func copy(_ count: Int, to place: UnsafeMutableRawPointer) throws(StateError) {
        guard remaining >= count else { throw damage("\(count) bytes are needed and \(remaining) are left") }
        let offset = offset - bytes.startIndex
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { unsafe place.copyMemory(from: base + offset, byteCount: count) }
        }
        self.offset += count
    }

    /// Reads the number of the elements that follow, of which each takes some bytes at least.
    mutating func count(ofElementsWithAtLeast size: Int) throws(StateError) -> Int {
        let count = try number(UInt64.self)
        // What takes no bytes could be claimed without end.
        let most = size == 0 ? 1 << 24 : remaining / size
        guard count <= UInt64(most) else { throw damage("\(count) elements do not fit in \(remaining) bytes") }
        return Int(count)
    }
}
