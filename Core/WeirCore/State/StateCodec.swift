/// How the values of one type are written and read.
///
/// Used through pointers, because the fields of a type are known only at run time. Made once for each type.
@safe
class StateCodec {
    /// What the type is called and consists of, as text: types with the same text have the same codec.
    let layout: String

    /// How many bytes a value takes at least.
    let leastSize: Int

    /// Tells types apart in the file.
    let fingerprint: UInt64

    init(layout: String, leastSize: Int) {
        self.layout = layout
        self.leastSize = leastSize
        fingerprint = Fingerprint.of(layout)
    }

    /// Writes the value at a place.
    func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        preconditionFailure("a codec has to write")
    }

    /// Reads a value into a place that is not initialised, and is not when an error is thrown.
    func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        preconditionFailure("a codec has to read")
    }

    /// Ends the value at a place.
    func destroy(_ place: UnsafeMutableRawPointer) {}

    /// Whether values are written as their bytes, without gaps: many at once are the bytes of all.
    var isDense: Bool { false }

    final func value<Value>(_ type: Value.Type, from reader: inout StateReader) throws(StateError) -> Value {
        let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { unsafe place.deallocate() }
        unsafe try read(into: UnsafeMutableRawPointer(place), from: &reader)
        return unsafe place.move()
    }
}

/// FNV-1a, by which layouts are told apart.
struct Fingerprint {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    static func of(_ text: String) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.mix(text)
        return fingerprint.value
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func mix(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            value = (value ^ (number >> UInt64(shift) & 0xFF)) &* 0x0000_0100_0000_01B3
        }
    }
}

/// Values that are their bytes.
///
/// What lies between fields is written as zeros.
@safe
final class BytesCodec: StateCodec {
    private let size: Int
    private let stride: Int
    private let gaps: [Range<Int>]

    init(layout: String, size: Int, stride: Int, gaps: [Range<Int>]) {
        self.size = size
        self.stride = stride
        self.gaps = gaps
        super.init(layout: layout, leastSize: size)
    }

    override var isDense: Bool { gaps.isEmpty && size == stride }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        let start = writer.bytes.count
        unsafe writer.append(UnsafeRawBufferPointer(start: place, count: size))
        for gap in gaps {
            for offset in gap { writer.bytes[start + offset] = 0 }
        }
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        unsafe try reader.copy(size, to: place)
    }
}

/// Values of a trivial enumeration whose payloads may refer to memory: each case is looked at when it is first written.
@safe
final class EnumerationCodec<Value>: StateCodec {
    // Where the names of the cases are that were looked at.
    private let known = Locked<Set<UInt>>([])

    init(layout: String) {
        super.init(layout: layout, leastSize: MemoryLayout<Value>.size)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        let value = unsafe place.assumingMemoryBound(to: Value.self).pointee
        guard let name = unsafe TypeLayout.caseName(value) else {
            throw .unsaveableType(
                TypeLayout.name(Value.self),
                path: TypeLayout.name(Value.self),
                reason: "it was built without reflection: make it StateCodable"
            )
        }
        let id = UInt(bitPattern: name)
        if !known.withLock({ $0.contains(id) }) {
            for payload in Mirror(reflecting: value).children {
                try TrivialLayout.check(Swift.type(of: payload.value), TypeLayout.name(Value.self))
            }
            known.withLock { _ = $0.insert(id) }
        }
        unsafe writer.append(UnsafeRawBufferPointer(start: place, count: leastSize))
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        unsafe try reader.copy(leastSize, to: place)
    }
}

/// Values that say themselves how they are written.
@safe
final class CustomCodec<Value: StateCodable>: StateCodec {
    init(parts: String) {
        super.init(layout: "\(TypeLayout.name(Value.self))@\(Value.stateVersion)\(parts)", leastSize: 0)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        unsafe try place.assumingMemoryBound(to: Value.self).pointee.save(to: &writer)
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        let value = try Value(restoringFrom: &reader)
        unsafe place.initializeMemory(as: Value.self, to: value)
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        unsafe place.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
}

/// Tuples and structs, field by field.
@safe
final class FieldsCodec: StateCodec {
    private let fields: [(offset: Int, codec: StateCodec)]

    init(layout: String, fields: [(offset: Int, codec: StateCodec)]) {
        self.fields = fields
        super.init(layout: layout, leastSize: fields.reduce(0) { $0 + $1.codec.leastSize })
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        for field in fields { unsafe try field.codec.write(place + field.offset, to: &writer) }
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        var count = 0
        do throws(StateError) {
            for field in fields {
                unsafe try field.codec.read(into: place + field.offset, from: &reader)
                count += 1
            }
        } catch {
            for field in fields[..<count] { unsafe field.codec.destroy(place + field.offset) }
            throw error
        }
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        for field in fields { unsafe field.codec.destroy(place + field.offset) }
    }
}

/// Stands for the codec of a type that contains itself, in an array for example; it gets that before it is shared.
@safe
final class ForwardCodec: StateCodec {
    var codec: StateCodec?

    init(_ name: String) {
        super.init(layout: name, leastSize: 0)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        unsafe try codec?.write(place, to: &writer)
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        unsafe try codec?.read(into: place, from: &reader)
    }

    override func destroy(_ place: UnsafeMutableRawPointer) { unsafe codec?.destroy(place) }
}
