/// The state of a pipeline at one moment, as bytes.
///
///     let checkpoint = try readings.checkpoint()
///     try save(checkpoint.bytes)
///
///     // In another process, after the same pipeline was attached:
///     try readings.restore(Checkpoint(bytes: load()))
///
/// The format is that of all machines: integers are little-endian, and what trivial types consist of is told apart by the
/// layouts of the types. It has a length, and a checksum for each section.
///
/// ```text
/// "WEIRSTAT"  version u32  checksum of the header u32  length u64  fingerprint u64  number of sections u64
/// per section: length of the name u32  name  version u32  fingerprint u64  elements u64  length u64  fields  checksum u32
/// "WEIREND\n"
/// ```
public struct Checkpoint: Sendable {
    /// The version of the format that is written.
    public static let formatVersion: UInt32 = 1

    /// What is to be kept.
    ///
    /// - Complexity: O(1).
    public var bytes: [UInt8] { Array(contents) }

    private let contents: ArraySlice<UInt8>

    let sections: [StateSection]

    /// Whether the sections know where they are in the bytes: not those of a checkpoint that was made here.
    private let hasPlaces: Bool

    /// Tells pipelines apart: the same for two checkpoints of the same operators, types and names.
    public let fingerprint: UInt64

    static let magic = Array("WEIRSTAT".utf8)
    static let mark = Array("WEIREND\n".utf8)
    static let headerSize = 40

    /// Reads a checkpoint.
    ///
    /// - Parameter bytes: What ``bytes`` was.
    /// - Throws: ``StateError/damaged(_:offset:)`` if anything is missing or was changed;
    ///   ``StateError/unknownVersion(_:)``.
    /// - Complexity: O(*n*) for *n* bytes: all checksums are compared.
    public init(bytes: [UInt8]) throws(StateError) { try self.init(bytes[...]) }

    /// Reads a checkpoint that is a part of other bytes.
    package init(_ bytes: ArraySlice<UInt8>) throws(StateError) {
        var reader = StateReader(bytes, StateCodecs())
        guard bytes.count >= Self.headerSize + Self.mark.count else { throw reader.damage("it is cut off") }
        guard bytes.starts(with: Self.magic) else { throw reader.damage("it does not start with WEIRSTAT") }
        reader.offset += Self.magic.count
        let version = try reader.number(UInt32.self)
        let checksum = try reader.number(UInt32.self)
        guard checksum == Checksum.of(bytes.dropFirst(16).prefix(Self.headerSize - 16)) else {
            throw reader.damage("the checksum is another")
        }
        guard version == Self.formatVersion else { throw .unknownVersion(version) }
        let length = try reader.number(UInt64.self)
        guard length == UInt64(bytes.count) else {
            throw reader.damage("\(length) bytes are said and \(bytes.count) there")
        }
        fingerprint = try reader.number(UInt64.self)
        let count = try reader.count(ofElementsWithAtLeast: StateSection.leastSize)
        reader.end -= Self.mark.count
        var sections: [StateSection] = []
        var names: Set<String> = []
        for _ in 0..<count {
            let section = try reader.section()
            guard names.insert(section.name).inserted else { throw reader.damage("\(section.name) is there twice") }
            sections.append(section)
        }
        guard reader.remaining == 0 else { throw reader.damage("\(reader.remaining) bytes are left over") }
        guard bytes[reader.offset...].elementsEqual(Self.mark) else { throw reader.damage("the end is missing") }
        contents = bytes
        self.sections = sections
        hasPlaces = true
    }

    /// Makes a checkpoint of several parts, such as channels and what a program remembers itself.
    ///
    ///     let checkpoint = try Checkpoint { state throws(StateError) in
    ///         try state.scoped("readings") { state throws(StateError) in try readings.exchangeState(&state) }
    ///         try state.scoped("alarms") { state throws(StateError) in try alarms.exchangeState(&state) }
    ///     }
    ///
    /// - Parameter exchange: Exchanges the states; no other thread may change them meanwhile.
    /// - Throws: What `exchange` throws.
    public init(of exchange: (inout StateExchange) throws(StateError) -> Void) throws(StateError) {
        var state = StateExchange(.saving)
        state.writer.beginFile()
        try exchange(&state)
        try state.end()
        var fingerprint = Fingerprint()
        for section in state.sections {
            fingerprint.mix("\(section.name)@\(section.version)")
            fingerprint.mix(section.fingerprint)
        }
        state.writer.endFile(fingerprint.value, state.sections.count)
        contents = state.writer.bytes[...]
        sections = state.sections
        hasPlaces = false
        self.fingerprint = fingerprint.value
    }

    /// Gives a pipeline the state that was saved.
    ///
    /// - Parameters:
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing is restored.
    ///   - exchange: Exchanges the states, as when they were saved; called twice, or more often where streams have gone on
    ///     with others. What it fills has to be new, and is not to be used after an error.
    /// - Returns: What fitted, and what did not.
    /// - Throws: ``StateError/mismatch(_:)``, and what `exchange` throws.
    @discardableResult
    public func restore(
        droppingMismatches drops: Bool = false,
        to exchange: (inout StateExchange) throws(StateError) -> Void
    ) throws(StateError) -> RestoreReport {
        let stored = try placedSections
        let places = Dictionary(stored.map { ($0.name, $0) }) { first, _ in first }
        let report = RestoreReport(stored, try Self.describe(exchange, contents, places))
        guard drops || report.isComplete else { throw .mismatch(report) }
        var state = StateExchange(.restoring, contents)
        state.report = report
        state.drops = drops
        state.stored = places
        try exchange(&state)
        try state.end()
        return state.report
    }
}

extension Checkpoint {
    /// The sections that a pipeline has.
    private static func describe(
        _ exchange: (inout StateExchange) throws(StateError) -> Void,
        _ bytes: ArraySlice<UInt8>,
        _ stored: [String: StateSection]
    ) throws(StateError) -> [StateSection] {
        while true {
            var description = StateExchange(.describing, bytes)
            description.stored = stored
            try exchange(&description)
            try description.end()
            // What goes on with another stream, as it did before, is attached to something that may have been described.
            if !description.hasSwitched { return description.sections }
        }
    }

    /// What is in it: the name of each section, how many elements of collections it has, and how many bytes.
    package var parts: [(name: String, items: Int, byteCount: Int)] {
        get throws(StateError) {
            try placedSections.map { ($0.name, $0.items, $0.end - $0.start) }
        }
    }

    private var placedSections: [StateSection] {
        get throws(StateError) { hasPlaces ? sections : try Checkpoint(contents).sections }
    }
}

extension StateSection {
    /// How many bytes a section has without name and fields.
    static let leastSize = 36
}

extension StateReader {
    /// Reads all of a section but its fields, and compares its checksum.
    mutating func section() throws(StateError) -> StateSection {
        let start = offset
        let length = Int(try number(UInt32.self))
        guard remaining >= length else { throw damage("a name is cut off") }
        guard let name = String(validating: bytes[offset..<offset + length], as: UTF8.self) else {
            throw damage("a name is not UTF-8")
        }
        offset += length
        var section = StateSection(name: name, version: try number(UInt32.self))
        section.fingerprint = try number(UInt64.self)
        section.items = Int(truncatingIfNeeded: try number(UInt64.self))
        let size = try count(ofElementsWithAtLeast: 1)
        section.start = offset
        section.end = offset + size
        offset = section.end
        guard try number(UInt32.self) == Checksum.of(bytes[start..<section.end]) else {
            offset = start
            throw damage("the checksum of \(Excerpt.line(name)) is another")
        }
        return section
    }
}

extension StateWriter {
    mutating func beginFile() {
        bytes += Checkpoint.magic
        append(Checkpoint.formatVersion)
        bytes += Array(repeating: 0, count: Checkpoint.headerSize - bytes.count)
    }

    mutating func endFile(_ fingerprint: UInt64, _ sectionCount: Int) {
        bytes += Checkpoint.mark
        replace(at: 16, with: UInt64(bytes.count))
        replace(at: 24, with: fingerprint)
        replace(at: 32, with: UInt64(sectionCount))
        replace(at: 12, with: Checksum.of(bytes, 16..<Checkpoint.headerSize))
    }

    /// Begins a section, and returns where.
    mutating func beginSection(_ name: String, _ version: UInt32) -> Int {
        let start = bytes.count
        append(UInt32(name.utf8.count))
        bytes += Array(name.utf8)
        append(version)
        // The fingerprint, the number of elements and the length are known at the end.
        bytes += Array(repeating: 0, count: 24)
        return start
    }

    mutating func endSection(_ section: StateSection) {
        let known = section.start + 8 + section.name.utf8.count
        replace(at: known, with: section.fingerprint)
        replace(at: known + 8, with: UInt64(section.items))
        replace(at: known + 16, with: UInt64(bytes.count - known - 24))
        append(Checksum.of(bytes, section.start..<bytes.count))
    }
}
