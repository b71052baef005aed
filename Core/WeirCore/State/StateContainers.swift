/// A type of the library that consists of values of other types: its codec is made of theirs.
protocol StateContainer {
    static func codec(_ codecs: StateCodecs) throws(StateError) -> StateCodec
}

extension Optional: StateContainer {
    static func codec(_ codecs: StateCodecs) throws(StateError) -> StateCodec {
        OptionalCodec<Wrapped>(try codecs.codec(for: Wrapped.self, as: "?"))
    }
}

/// A byte that says whether there is a value, and the value.
@safe
final class OptionalCodec<Wrapped>: StateCodec {
    private let wrapped: StateCodec

    init(_ wrapped: StateCodec) {
        self.wrapped = wrapped
        super.init(layout: "\(wrapped.layout)?", leastSize: 1)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        guard let value = unsafe place.assumingMemoryBound(to: Wrapped?.self).pointee else {
            return writer.append(UInt8(0))
        }
        writer.append(UInt8(1))
        unsafe try withUnsafePointer(to: value) { (place) throws(StateError) in
            unsafe try wrapped.write(UnsafeRawPointer(place), to: &writer)
        }
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: unsafe place.initializeMemory(as: Wrapped?.self, to: nil)
        case 1:
            // An optional has room for what it wraps.
            unsafe try wrapped.read(into: place, from: &reader)
            let value = unsafe place.assumingMemoryBound(to: Wrapped.self).move()
            unsafe place.initializeMemory(as: Wrapped?.self, to: value)
        default: throw reader.damage("an optional is neither there nor not")
        }
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        unsafe place.assumingMemoryBound(to: Wrapped?.self).deinitialize(count: 1)
    }
}

/// A collection whose elements are written in order.
protocol StateSequence: StateContainer {
    associatedtype Element

    init()

    /// Creates a collection of some elements.
    ///
    /// - Parameters:
    ///   - count: How many; at least one.
    ///   - make: Makes all of them where they are to be, or none.
    /// - Throws: What `make` throws.
    init<Failure>(_ count: Int, _ make: (UnsafeMutablePointer<Element>) throws(Failure) -> Void) throws(Failure)

    func withElements<Failure>(
        _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void
    ) throws(Failure)
}

extension StateSequence {
    static func codec(_ codecs: StateCodecs) throws(StateError) -> StateCodec {
        SequenceCodec<Self>(try codecs.codec(for: Element.self, as: "[]"))
    }
}

extension Array: StateSequence {
    init<Failure>(_ count: Int, _ make: (UnsafeMutablePointer<Element>) throws(Failure) -> Void) throws(Failure) {
        // They share their storage.
        unsafe self.init(try ContiguousArray(count, make))
    }

    func withElements<Failure>(
        _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void
    ) throws(Failure) {
        unsafe try ContiguousArray(self).withElements(body)
    }
}

extension ContiguousArray: StateSequence {
    init<Failure>(_ count: Int, _ make: (UnsafeMutablePointer<Element>) throws(Failure) -> Void) throws(Failure) {
        unsafe try self.init(unsafeUninitializedCapacity: count) { (places, madeCount) throws(Failure) in
            guard let first = places.baseAddress else { return }
            unsafe try make(first)
            madeCount = count
        }
    }

    func withElements<Failure>(
        _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void
    ) throws(Failure) {
        unsafe try withUnsafeBufferPointer { (buffer) throws(Failure) in unsafe try body(buffer) }
    }
}

/// The number of elements, and the elements.
@safe
final class SequenceCodec<Elements: StateSequence>: StateCodec {
    private let element: StateCodec

    init(_ element: StateCodec) {
        self.element = element
        super.init(layout: "[\(element.layout)]", leastSize: 8)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        let elements = unsafe place.assumingMemoryBound(to: Elements.self).pointee
        unsafe try elements.withElements { (buffer) throws(StateError) in
            writer.append(UInt64(buffer.count))
            writer.items += buffer.count
            if element.isDense { return unsafe writer.append(UnsafeRawBufferPointer(buffer)) }
            guard let first = buffer.baseAddress else { return }
            for index in 0..<buffer.count { unsafe try element.write(UnsafeRawPointer(first + index), to: &writer) }
        }
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        let count = try reader.count(ofElementsWithAtLeast: element.leastSize)
        // The initializer that takes memory writes a count also into the empty array that all threads share.
        guard count > 0 else {
            unsafe place.initializeMemory(as: Elements.self, to: Elements())
            return
        }
        let elements = unsafe try Elements(count) { (first) throws(StateError) in
            if element.isDense {
                return unsafe try reader.copy(count * element.leastSize, to: UnsafeMutableRawPointer(first))
            }
            var made = 0
            do throws(StateError) {
                while made < count {
                    unsafe try element.read(into: UnsafeMutableRawPointer(first + made), from: &reader)
                    made += 1
                }
            } catch {
                unsafe first.deinitialize(count: made)
                throw error
            }
        }
        unsafe place.initializeMemory(as: Elements.self, to: elements)
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        unsafe place.assumingMemoryBound(to: Elements.self).deinitialize(count: 1)
    }
}

extension Deque: StateSequence {
    init<Failure>(_ count: Int, _ make: (UnsafeMutablePointer<Element>) throws(Failure) -> Void) throws(Failure) {
        unsafe storage = try ContiguousArray(count, make)
    }

    func withElements<Failure>(
        _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void
    ) throws(Failure) {
        unsafe try storage.withUnsafeBufferPointer { (buffer) throws(Failure) in
            unsafe try body(UnsafeBufferPointer(rebasing: buffer[head...]))
        }
    }
}

extension Dictionary: StateContainer {
    static func codec(_ codecs: StateCodecs) throws(StateError) -> StateCodec {
        DictionaryCodec<Key, Value>(
            try codecs.codec(for: Key.self, as: "[key]"),
            try codecs.codec(for: Value.self, as: "[value]")
        )
    }
}

/// The number of entries, and the entries in the order of the bytes of their keys: the order in memory differs from process
/// to process.
@safe
final class DictionaryCodec<Key: Hashable, Value>: StateCodec {
    private let key: StateCodec
    private let value: StateCodec

    init(_ key: StateCodec, _ value: StateCodec) {
        self.key = key
        self.value = value
        super.init(layout: "Dictionary<\(key.layout),\(value.layout)>", leastSize: 8)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        let dictionary = unsafe place.assumingMemoryBound(to: [Key: Value].self).pointee
        writer.append(UInt64(dictionary.count))
        writer.items += dictionary.count
        var entries = StateWriter(writer.codecs)
        var places: [SortedEntry] = []
        places.reserveCapacity(dictionary.count)
        for entry in dictionary {
            let start = entries.bytes.count
            unsafe try withUnsafePointer(to: entry.key) { (place) throws(StateError) in
                unsafe try key.write(UnsafeRawPointer(place), to: &entries)
            }
            let keyEnd = entries.bytes.count
            unsafe try withUnsafePointer(to: entry.value) { (place) throws(StateError) in
                unsafe try value.write(UnsafeRawPointer(place), to: &entries)
            }
            places.append(SortedEntry(key: start..<keyEnd, end: entries.bytes.count))
        }
        SortedEntry.append(&places, of: entries, to: &writer)
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        let count = try reader.count(ofElementsWithAtLeast: key.leastSize + value.leastSize)
        var dictionary = [Key: Value](minimumCapacity: count)
        for _ in 0..<count {
            let key = try key.value(Key.self, from: &reader)
            let value = try value.value(Value.self, from: &reader)
            guard dictionary.updateValue(value, forKey: key) == nil else { throw reader.damage("a key is there twice") }
        }
        unsafe place.initializeMemory(as: [Key: Value].self, to: dictionary)
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        unsafe place.assumingMemoryBound(to: [Key: Value].self).deinitialize(count: 1)
    }
}

extension Set: StateContainer {
    static func codec(_ codecs: StateCodecs) throws(StateError) -> StateCodec {
        SetCodec<Element>(try codecs.codec(for: Element.self, as: "[element]"))
    }
}

/// As ``DictionaryCodec``, without values.
@safe
final class SetCodec<Element: Hashable>: StateCodec {
    private let element: StateCodec

    init(_ element: StateCodec) {
        self.element = element
        super.init(layout: "Set<\(element.layout)>", leastSize: 8)
    }

    override func write(_ place: UnsafeRawPointer, to writer: inout StateWriter) throws(StateError) {
        let set = unsafe place.assumingMemoryBound(to: Set<Element>.self).pointee
        writer.append(UInt64(set.count))
        writer.items += set.count
        var entries = StateWriter(writer.codecs)
        var places: [SortedEntry] = []
        places.reserveCapacity(set.count)
        for entry in set {
            let start = entries.bytes.count
            unsafe try withUnsafePointer(to: entry) { (place) throws(StateError) in
                unsafe try element.write(UnsafeRawPointer(place), to: &entries)
            }
            places.append(SortedEntry(key: start..<entries.bytes.count, end: entries.bytes.count))
        }
        SortedEntry.append(&places, of: entries, to: &writer)
    }

    override func read(into place: UnsafeMutableRawPointer, from reader: inout StateReader) throws(StateError) {
        let count = try reader.count(ofElementsWithAtLeast: element.leastSize)
        var set = Set<Element>(minimumCapacity: count)
        for _ in 0..<count {
            let element = try element.value(Element.self, from: &reader)
            guard set.insert(element).inserted else { throw reader.damage("an element is there twice") }
        }
        unsafe place.initializeMemory(as: Set<Element>.self, to: set)
    }

    override func destroy(_ place: UnsafeMutableRawPointer) {
        unsafe place.assumingMemoryBound(to: Set<Element>.self).deinitialize(count: 1)
    }
}

/// Where an entry was written, to be put in order by the bytes of its key.
private struct SortedEntry {
    let key: Range<Int>
    let end: Int

    static func append(_ entries: inout [SortedEntry], of source: borrowing StateWriter, to writer: inout StateWriter) {
        let bytes = source.bytes
        entries.sort { bytes[$0.key].lexicographicallyPrecedes(bytes[$1.key]) }
        for entry in entries {
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe writer.append(UnsafeRawBufferPointer(rebasing: buffer[entry.key.lowerBound..<entry.end]))
            }
        }
    }
}
