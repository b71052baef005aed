/// Writes the values of a checkpoint, one after the other.
///
/// Integers are little-endian. A ``StateCodable`` type gets a writer to say what it consists of.
///
/// Thread safety: one thread at a time.
public struct StateWriter: ~Copyable {
    @usableFromInline var bytes: [UInt8] = []

    // How many elements of collections were written.
    var items = 0

    let codecs: StateCodecs

    init(_ codecs: StateCodecs) {
        self.codecs = codecs
    }

    /// Writes a value.
    ///
    /// - Parameter value: A trivial value, a ``StateCodable`` one, or a collection, optional, tuple or struct of such.
    /// - Throws: ``StateError/unsaveableType(_:path:reason:)``.
    /// - Complexity: O(*n*) for *n* bytes. The first value of a type costs some microseconds more.
    public mutating func write<Value>(_ value: Value) throws(StateError) {
        let codec = try codecs.codec(for: Value.self)
        unsafe try withUnsafePointer(to: value) { (place) throws(StateError) in
            unsafe try codec.write(UnsafeRawPointer(place), to: &self)
        }
    }

    /// Writes bytes, with their number.
    ///
    /// - Parameter buffer: The bytes.
    public mutating func write(bytes buffer: UnsafeRawBufferPointer) {
        append(UInt64(buffer.count))
        unsafe append(buffer)
    }

    /// Writes bytes, with their number; they are no elements of a collection.
    package mutating func write(bytes: [UInt8]) { write(bytes: bytes[...]) }

    package mutating func write(bytes: ArraySlice<UInt8>) {
        append(UInt64(bytes.count))
        self.bytes.append(contentsOf: bytes)
    }

    @inlinable
    mutating func append(_ buffer: UnsafeRawBufferPointer) {
        if bytes.capacity - bytes.count < buffer.count { grow(for: buffer.count) }
        unsafe bytes.append(contentsOf: buffer)
    }

    // Memory that is not written to costs nothing, and each move of what there is costs twice its pages: so this grows
    // faster than arrays do, up to some hundred megabytes.
    @usableFromInline
    mutating func grow(for count: Int) {
        guard (1 << 20..<1 << 26).contains(bytes.capacity) else { return }
        bytes.reserveCapacity(max(bytes.capacity * 4, bytes.count + count))
    }

    /// Writes an integer, as ``write(_:)`` does, without looking for the codec of its type.
    @inlinable
    package mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe append($0) }
    }

    mutating func replace<Number: FixedWidthInteger>(at offset: Int, with number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { source in
            for index in source.indices { unsafe bytes[offset + index] = source[index] }
        }
    }
}
