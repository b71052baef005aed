internal import WeirCore
internal import WeirRecords

/// The values of one field that wait to be written as a column of a block.
///
/// Keeps the texts of the values, notes what they have in common, and at the end takes the narrowest encoding from which
/// each text can be made again.
struct ColumnWriter {
    private let declared: FieldType?
    private let tellsTextFromNumbers: Bool

    // One for each record: its state, what it is, where its text ends, and its number as long as all are numbers.
    var states: [UInt8] = []
    var shapes: [FieldShape] = []
    var texts: [UInt8] = []
    var textEnds: [Int] = []
    var numbers: [Int64] = []
    private var scales: [UInt8] = []

    // What the texts stand for where they are no plain numbers.
    private var others: [Int64] = []

    private var valueCount = 0

    // How many of the values are empty texts, which can stand in a column of anything.
    private var emptyCount = 0
    private var areDecimals = true
    private var areFlags = true
    private var areTexts = true

    init(_ declared: FieldType?, tellsTextFromNumbers: Bool) {
        self.declared = declared
        self.tellsTextFromNumbers = tellsTextFromNumbers
    }

    /// The most bytes that a value takes in a block besides its text.
    static let greatestOverhead = 12

    /// Whether the values may be anything, because neither the input nor a declared type tells.
    var areUntyped: Bool { !tellsTextFromNumbers && declared == nil }

    /// Adds a value.
    mutating func append(_ shape: FieldShape, _ text: ArraySlice<UInt8>) {
        switch shape {
        case .absent: states.append(BinaryLayout.State.absent)
        case .null: states.append(BinaryLayout.State.null)
        case .text, .bare, .nested: states.append(BinaryLayout.State.value)
        }
        shapes.append(shape)
        texts.append(contentsOf: text)
        textEnds.append(texts.count)
        var decimal: PlainDecimal?
        if states.last == BinaryLayout.State.value {
            valueCount += 1
            areTexts = areTexts && shape == .text
            if shape == .text, text.isEmpty {
                emptyCount += 1
            } else {
                if shape != .bare, !areUntyped {
                    areDecimals = false
                    areFlags = false
                }
                if areDecimals {
                    decimal = unsafe text.withUnsafeBufferPointer { PlainDecimal(unsafe $0.span) }
                    areDecimals = decimal != nil
                }
                areFlags = areFlags && (text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8))
            }
        }
        numbers.append(decimal?.digits ?? 0)
        scales.append(decimal?.scale ?? 0)
    }

    /// Forgets the values, and keeps the memory.
    mutating func removeAll() {
        states.removeAll(keepingCapacity: true)
        shapes.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        textEnds.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        scales.removeAll(keepingCapacity: true)
        valueCount = 0
        emptyCount = 0
        areDecimals = true
        areFlags = true
        areTexts = true
    }

    // MARK: Writing

    /// Appends the column.
    ///
    /// - Returns: The type of the values; `nil` where there are none.
    mutating func write(to output: inout [UInt8]) -> ColumnEncoding? {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: BinaryLayout.columnHeaderLength))
        var flags: UInt8 = 0
        var encoding = chooseEncoding()
        if encoding != .text { markEmptyTexts() }
        if valueCount < states.count {
            flags |= BinaryLayout.hasStates
            writeStates(to: &output)
        }
        var width = 8
        var scale: UInt8 = 0
        switch encoding {
        case .integer, .decimal:
            width = numberWidth()
            if encoding == .decimal {
                if let common = commonScale {
                    scale = common
                } else {
                    flags |= BinaryLayout.hasScales
                    output.append(contentsOf: scales)
                }
            }
            writeNumbers(width: width, to: &output)
        case .float, .time:
            writeNumbers(width: width, to: &output)
        case .boolean:
            width = 1
            for row in states.indices { output.append(text(row).first == UInt8(ascii: "t") ? 1 : 0) }
        case .text, .words:
            if let words = CommonWords(texts, textEnds) {
                encoding = .words
                width = 1
                words.write(to: &output)
            } else {
                width = 4
                writeTexts(to: &output)
            }
        case .json:
            width = 4
            writeKinds(to: &output)
        }
        output[start] = encoding.rawValue
        output[start + 1] = flags
        output[start + 2] = UInt8(width)
        output[start + 3] = scale
        let length = UInt32(output.count - start - BinaryLayout.columnHeaderLength)
        for index in 0..<4 { output[start + 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
        return valueCount == 0 ? nil : encoding == .words ? .text : encoding
    }

    private mutating func chooseEncoding() -> ColumnEncoding {
        guard valueCount > 0 else { return .integer }
        guard valueCount > emptyCount else { return .text }
        switch declared {
        case .float?, .time?:
            // The texts were made of such values.
            let isFloat = declared == .float
            return takeNumbers(isFloat ? .float : .time) ? isFloat ? .float : .time : .text
        case .text?: return .text
        case .json?: return .json
        case .integer?, .decimal?, .boolean?, nil: break
        }
        if areDecimals {
            if declared != .decimal, scales.allSatisfy({ $0 == 0 }) { return .integer }
            // Doubles that were written in full take a byte less as doubles, and no division to be read.
            let areLong = declared == nil && commonScale == nil && numberWidth() == 8
            return areLong && takeNumbers(.float) ? .float : .decimal
        }
        if areFlags { return .boolean }
        if areTexts {
            if takeNumbers(.time) { return .time }
            guard areUntyped else { return .text }
            if takeNumbers(.float) { return .float }
            // Some may be numbers for JSON, and others not.
            return states.indices.contains(where: isNumberOrFlag) ? .json : .text
        }
        let areBare = states.indices.allSatisfy { row in
            states[row] != BinaryLayout.State.value || shapes[row] == .bare || textRange(row).isEmpty
        }
        return areBare && takeNumbers(.float) ? .float : .json
    }

    private mutating func markEmptyTexts() {
        guard emptyCount > 0 else { return }
        for row in states.indices where states[row] == BinaryLayout.State.value && textRange(row).isEmpty {
            states[row] = BinaryLayout.State.emptyText
            valueCount -= 1
        }
    }

    /// A number that a text can stand for without being one.
    private enum Reading {
        case float, time
    }

    /// Fills the numbers with what the texts stand for.
    ///
    /// - Returns: False when a text cannot be made again from its number.
    private mutating func takeNumbers(_ reading: Reading) -> Bool {
        others.removeAll(keepingCapacity: true)
        for row in states.indices {
            let range = textRange(row)
            guard states[row] == BinaryLayout.State.value, !range.isEmpty else {
                others.append(0)
                continue
            }
            let value = unsafe texts.withUnsafeBufferPointer { all in
                let text = unsafe UnsafeBufferPointer(rebasing: all[range])
                return unsafe reading == .float ? Self.float(text) : Self.time(text)
            }
            guard let value else { return false }
            others.append(value)
        }
        swap(&numbers, &others)
        return true
    }

    /// The pattern of a double that Swift writes like this.
    private static func float(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let value = unsafe DecimalText.double(text), value.isFinite,
            unsafe text.elementsEqual(value.description.utf8)
        else { return nil }
        return Int64(bitPattern: value.bitPattern)
    }

    /// The nanoseconds of a time in RFC 3339, in UTC, without needless digits.
    private static func time(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count >= 20, unsafe text[text.count - 1] == UInt8(ascii: "Z"),
            case .value(let value) = unsafe TimeText.nanoseconds(text, scale: 1),
            unsafe text.elementsEqual(Timestamp(nanosecondsSinceEpoch: value).description.utf8)
        else { return nil }
        return value
    }

    private var commonScale: UInt8? {
        var common: UInt8?
        for row in states.indices where states[row] == BinaryLayout.State.value {
            if let common, common != scales[row] { return nil }
            common = scales[row]
        }
        // Minus zero is one number, and not all of them.
        return common.flatMap { $0 & 0x80 == 0 ? $0 : nil }
    }

    private func numberWidth() -> Int {
        let (least, greatest) = numbers.reduce((Int64(0), Int64(0))) { (min($0.0, $1), max($0.1, $1)) }
        for width in [1, 2, 4] {
            let shift = 64 - Int64(8 * width)
            if least >= Int64.min >> shift, greatest <= Int64.max >> shift { return width }
        }
        return 8
    }
}
