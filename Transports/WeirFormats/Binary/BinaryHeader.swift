internal import WeirCore
internal import WeirRecords

/// The header of a section: the names of its fields, and how much it takes.
struct BinaryHeader {
    let names: [String]

    /// How many bytes the header has.
    let length: Int

    /// What became of bytes that should be a header.
    enum Outcome {
        case header(BinaryHeader)
        /// There is more to come.
        case incomplete
        /// They are none; why.
        case flaw(String)
    }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bytes: Where it stands.
    ///   - start: Where it starts.
    ///   - limit: How long it may be.
    /// - Returns: The header, or why there is none.
    static func read(_ bytes: UnsafeRawBufferPointer, at start: Int, limit: Int) -> Outcome {
        let available = bytes.count - start
        for index in 0..<min(available, BinaryLayout.magic.count)
        where unsafe bytes[start + index] != BinaryLayout.magic[index] {
            return .flaw("it does not start like Weir's binary format")
        }
        guard available >= BinaryLayout.headerLength else { return .incomplete }
        let version: UInt16 = unsafe BinaryLayout.number(bytes, at: start + 8)
        guard version == BinaryLayout.version else {
            return .flaw("it is of version \(version), and this program reads version \(BinaryLayout.version)")
        }
        let fieldCount: UInt16 = unsafe BinaryLayout.number(bytes, at: start + 10)
        let descriptors: UInt32 = unsafe BinaryLayout.number(bytes, at: start + 12)
        let checked = BinaryLayout.headerLength + Int(descriptors)
        let length = checked + BinaryLayout.checksumLength
        guard length <= limit else { return .flaw("it is longer than \(limit) bytes; --max-line raises the limit") }
        guard available >= length else { return .incomplete }
        guard
            unsafe BinaryLayout.checksum(bytes, at: start, count: checked)
                == BinaryLayout.number(bytes, at: start + checked)
        else { return .flaw("its checksum is wrong") }
        guard
            let names = unsafe names(
                bytes,
                from: start + BinaryLayout.headerLength,
                to: start + checked,
                count: Int(fieldCount)
            )
        else { return .flaw("its fields are not described as they should be") }
        return .header(BinaryHeader(names: names, length: length))
    }

    private static func names(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, count: Int) -> [String]? {
        var place = start
        var names: [String] = []
        for _ in 0..<count {
            guard end - place >= 3, unsafe bytes[place] <= ColumnEncoding.words.rawValue else { return nil }
            let length: UInt16 = unsafe BinaryLayout.number(bytes, at: place + 1)
            place += 3
            guard end - place >= Int(length) else { return nil }
            let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(length)])
            guard let name = unsafe String(validating: text, as: UTF8.self) else { return nil }
            names.append(name)
            place += Int(length)
        }
        return place == end ? names : nil
    }

    /// Appends a header.
    static func append(_ fields: [(name: String, type: ColumnEncoding?)], to bytes: inout [UInt8]) {
        let start = bytes.count
        for index in BinaryLayout.magic.indices { bytes.append(BinaryLayout.magic[index]) }
        BinaryLayout.append(BinaryLayout.version, to: &bytes)
        BinaryLayout.append(UInt16(fields.count), to: &bytes)
        let descriptors = fields.reduce(0) { $0 + 3 + $1.name.utf8.count }
        BinaryLayout.append(UInt32(descriptors), to: &bytes)
        for field in fields {
            bytes.append(field.type?.rawValue ?? 0)
            BinaryLayout.append(UInt16(field.name.utf8.count), to: &bytes)
            bytes.append(contentsOf: field.name.utf8)
        }
        BinaryLayout.append(Checksum.of(bytes, start..<bytes.count), to: &bytes)
    }
}

/// Finds the names in the header.
struct BinaryFieldFinder: FieldFinder {
    private let limit: Int
    private(set) var names: [String] = []
    private(set) var isComplete = false

    init(limits: FormatLimits) {
        limit = limits.lineLength
    }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        guard !isComplete else { return bytes.count }
        switch unsafe BinaryHeader.read(bytes, at: 0, limit: limit) {
        case .incomplete:
            if isFinal { throw .badHeader("the input ends inside of it") }
            return 0
        case .flaw(let flaw): throw .badHeader(flaw)
        case .header(let header):
            names = header.names
            isComplete = true
            return bytes.count
        }
    }
}
