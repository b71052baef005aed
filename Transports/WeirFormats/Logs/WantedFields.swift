internal import WeirCore
internal import WeirRecords

/// Which fields of a schema want which columns, where all lines have the same ones.
struct WantedColumns {
    // For each column the first field that wants it, and for each field the next one that wants the same column;
    // negative where there is none.
    private var firstFields: [Int32]
    private var nextFields: [Int32]

    /// Why the schema cannot be read; `nil` where it can.
    let obstacle: FormatError?

    /// Resolves the names of a schema.
    ///
    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - schema: What is wanted.
    init(_ names: [String], for schema: RecordSchema) {
        firstFields = Array(repeating: -1, count: names.count)
        nextFields = Array(repeating: -1, count: schema.fields.count)
        var missing: [String] = []
        for (field, wanted) in schema.fields.enumerated() {
            if let column = names.firstIndex(of: wanted.name) {
                nextFields[field] = firstFields[column]
                firstFields[column] = Int32(field)
            } else if wanted.isRequired {
                missing.append(wanted.name)
            }
        }
        obstacle = missing.isEmpty ? nil : .missingFields(missing, available: names)
    }

    /// Whether a field wants a column.
    func wants(_ column: Int) -> Bool { firstFields[column] >= 0 }

    /// Notes where a column is, for the fields that want it.
    func set(_ column: Int, start: Int, end: Int, encoding: FieldEncoding, in batch: inout RecordBatch) {
        var field = firstFields[column]
        while field >= 0 {
            batch.setField(Int(field), start: start, length: end &- start, encoding: encoding)
            field = nextFields[Int(field)]
        }
    }
}

/// Which fields of a schema want which names, where each line names its fields.
///
/// Lines of one program have their names in one order. Which name came at which place of the last line is remembered
/// and looked at first.
struct WantedNames {
    /// What becomes of names that nobody wants.
    enum Others {
        /// They are passed over.
        case pass
        /// Their line is rejected.
        case reject
        /// They are collected, as long as there are few.
        case collect
    }

    /// The names that were collected.
    private(set) var collected: [String] = []

    private let others: Others

    // The wanted names one after the other, and where each of them starts and they all end.
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    private var firstFields: [Int32] = []
    private var nextFields: [Int32]

    // The name that came at each place of the last line, or -1.
    private var order: [Int32] = Array(repeating: -1, count: 256)

    private var collectedBytes: [[UInt8]] = []
    private static let collectedLimit = 1024

    // Names that are never wanted or collected.
    private let excluded: [[UInt8]]

    /// Resolves the names of a schema.
    ///
    /// - Parameters:
    ///   - schema: What is wanted.
    ///   - others: What becomes of names that nobody wants.
    ///   - excluded: Names that stand for something else.
    init(_ schema: RecordSchema, others: Others, excluding excluded: [String] = []) {
        self.others = others
        self.excluded = excluded.map { Array($0.utf8) }
        nextFields = Array(repeating: -1, count: schema.fields.count)
        var names: [String: Int] = [:]
        for (field, wanted) in schema.fields.enumerated() where !excluded.contains(wanted.name) {
            if let name = names[wanted.name] {
                nextFields[field] = firstFields[name]
                firstFields[name] = Int32(field)
            } else {
                names[wanted.name] = firstFields.count
                firstFields.append(Int32(field))
                bytes += wanted.name.utf8
                starts.append(bytes.count)
            }
        }
    }

    /// Finds a name.
    ///
    /// - Parameters:
    ///   - base: What places are counted from.
    ///   - start: Where the name starts.
    ///   - end: Where it ends.
    ///   - position: How many names the line had before it.
    ///   - lineStart: Where the line starts.
    /// - Returns: What ``set(_:start:end:encoding:in:)`` wants to know; -1 for a name that nobody wants.
    /// - Throws: ``LineFlaw`` where such names are not accepted.
    mutating func find(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        position: Int,
        lineStart: Int
    ) throws(LineFlaw) -> Int {
        let isRemembered = position < order.count
        if isRemembered {
            let expected = Int(order[position])
            if expected >= 0, unsafe isEqual(expected, base, from: start, to: end) { return expected }
        }
        var name = firstFields.count - 1
        while name >= 0, unsafe !isEqual(name, base, from: start, to: end) { name -= 1 }
        if isRemembered { order[position] = Int32(name) }
        if name < 0 {
            switch others {
            case .pass: break
            case .reject: throw LineFlaw("a field that the output lacks (see --columns) starts", at: start - lineStart)
            case .collect:
                unsafe collect(UnsafeBufferPointer(start: base + start, count: end - start), position: position)
            }
        }
        return name
    }

    /// Notes where a value is, for the fields that want its name.
    func set(_ name: Int, start: Int, end: Int, encoding: FieldEncoding, in batch: inout RecordBatch) {
        guard name >= 0 else { return }
        var field = firstFields[name]
        while field >= 0 {
            batch.setField(Int(field), start: start, length: end &- start, encoding: encoding)
            field = nextFields[Int(field)]
        }
    }

    private func isEqual(_ name: Int, _ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Bool {
        let first = starts[name]
        guard starts[name &+ 1] &- first == end &- start else { return false }
        for index in 0..<end &- start where unsafe base[start &+ index] != bytes[first &+ index] { return false }
        return true
    }

    private mutating func collect(_ name: UnsafeBufferPointer<UInt8>, position: Int) {
        if position < collectedBytes.count, unsafe collectedBytes[position].elementsEqual(name) { return }
        guard collected.count < Self.collectedLimit,
            !(collectedBytes + excluded).contains(where: { unsafe $0.elementsEqual(name) })
        else { return }
        collectedBytes.append(unsafe Array(name))
        collected.append(unsafe String(decoding: name, as: UTF8.self))
    }
}
