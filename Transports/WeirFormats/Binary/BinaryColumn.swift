internal import WeirCore
internal import WeirRecords

/// A column of a block that was checked: where the value of each record is.
///
/// Places are counted from the start of the block. Whatever it hands out lies within the column.
struct BinaryColumn {
    private let encoding: ColumnEncoding
    private let fieldEncoding: FieldEncoding
    private let width: Int
    private let scale: UInt8

    // Where these parts start; negative where there is none.
    private var states = -1
    private var scales = -1
    private var values = 0
    private var texts = 0
    private var words = 0

    /// Checks a column; there is none when it is not as it should be.
    init?(_ block: UnsafeRawBufferPointer, at place: inout Int, end: Int, rowCount: Int) {
        guard let length = unsafe Self.length(block, at: place, end: end),
            let encoding = unsafe ColumnEncoding(rawValue: block[place])
        else { return nil }
        let flags = unsafe block[place + 1]
        self.encoding = encoding
        width = unsafe Int(block[place + 2])
        scale = unsafe block[place + 3]
        var next = place + BinaryLayout.columnHeaderLength
        let columnEnd = next + length
        place = columnEnd
        guard flags & ~(BinaryLayout.hasStates | BinaryLayout.hasScales) == 0 else { return nil }
        if flags & BinaryLayout.hasStates != 0 {
            states = next
            next += (rowCount + 3) / 4
            guard next <= columnEnd else { return nil }
        }
        if flags & BinaryLayout.hasScales != 0 {
            guard encoding == .decimal else { return nil }
            scales = next
            next += rowCount
            guard next <= columnEnd else { return nil }
        }
        values = next
        switch encoding {
        case .integer, .decimal:
            guard [1, 2, 4, 8].contains(width) else { return nil }
            fieldEncoding = encoding == .integer ? .integer : .decimal
        case .float, .time:
            guard width == 8 else { return nil }
            fieldEncoding = encoding == .float ? .float : .time
        case .boolean:
            guard width == 1 else { return nil }
            fieldEncoding = .boolean
        case .text, .json:
            fieldEncoding = .plain
            guard width == 4, unsafe takeTexts(block, count: rowCount, end: columnEnd) == columnEnd else { return nil }
            if encoding == .json, unsafe !holdsKinds(block, rowCount) { return nil }
            return
        case .words:
            fieldEncoding = .plain
            guard width == 1, columnEnd - values >= 4 else { return nil }
            let count = unsafe Int(BinaryLayout.number(block, at: values) as UInt32)
            values += 4
            guard (1...256).contains(count),
                let textEnd = unsafe takeTexts(block, count: count, end: columnEnd - rowCount),
                textEnd == columnEnd - rowCount
            else { return nil }
            words = textEnd
            for place in words..<columnEnd where unsafe block[place] >= count { return nil }
            return
        }
        guard values + rowCount * width == columnEnd else { return nil }
        if encoding == .float, unsafe !areFinite(block, rowCount) { return nil }
    }

    private func areFinite(_ block: UnsafeRawBufferPointer, _ rowCount: Int) -> Bool {
        let exponent: UInt64 = 0x7FF0_0000_0000_0000
        for row in 0..<rowCount where unsafe BinaryLayout.number(block, at: values &+ row &* 8) & exponent == exponent {
            return false
        }
        return true
    }

    /// The length of a column without its header, when it is all there.
    static func length(_ block: UnsafeRawBufferPointer, at place: Int, end: Int) -> Int? {
        guard end - place >= BinaryLayout.columnHeaderLength else { return nil }
        let length = unsafe Int(BinaryLayout.number(block, at: place + 4) as UInt32)
        return end - place - BinaryLayout.columnHeaderLength >= length ? length : nil
    }

    /// Checks the places and the bytes of some texts.
    ///
    /// - Returns: Where the bytes end; `nil` when something is wrong.
    private mutating func takeTexts(_ block: UnsafeRawBufferPointer, count: Int, end: Int) -> Int? {
        texts = values + (count + 1) * 4
        guard texts <= end, let base = unsafe block.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var last = 0
        for index in 0...count {
            let place = unsafe Int(BinaryLayout.number(block, at: values + index * 4) as UInt32)
            guard place >= last, index > 0 || place == 0, place <= end - texts else { return nil }
            // No text starts inside of a scalar, so each is valid if all of them together are.
            if place < end - texts, unsafe block[texts + place] & 0xC0 == 0x80 { return nil }
            last = place
        }
        guard unsafe UTF8Text.isValid(base, from: texts, to: texts + last) else { return nil }
        return texts + last
    }

    private func holdsKinds(_ block: UnsafeRawBufferPointer, _ rowCount: Int) -> Bool {
        guard let base = unsafe block.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        for row in 0..<rowCount where unsafe state(block, row) == BinaryLayout.State.value {
            let (start, end) = unsafe text(block, row)
            guard start < end else { return false }
            let kind = unsafe block[start]
            if kind == BinaryLayout.Kind.text { continue }
            let value = unsafe JSONValueText(base, from: start + 1, to: end)
            guard value?.encoding == (kind == BinaryLayout.Kind.bare ? .bare : .nested),
                kind <= BinaryLayout.Kind.nested
            else { return false }
        }
        return true
    }

    private func text(_ block: UnsafeRawBufferPointer, _ index: Int) -> (start: Int, end: Int) {
        let start: UInt32 = unsafe BinaryLayout.number(block, at: values &+ index &* 4)
        let end: UInt32 = unsafe BinaryLayout.number(block, at: values &+ index &* 4 &+ 4)
        return (texts &+ Int(start), texts &+ Int(end))
    }

    private func state(_ block: UnsafeRawBufferPointer, _ row: Int) -> UInt8 {
        states < 0 ? BinaryLayout.State.value : unsafe block[states &+ row >> 2] >> UInt8(row & 3 &* 2) & 3
    }

    /// Notes where the values of some records are.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - first: The index of the first record in the batch.
    ///   - rows: The places of the records in the block.
    ///   - block: The block.
    ///   - start: Where the block starts in the batch's bytes.
    ///   - batch: Takes the places; it has the records already.
    func setField(
        _ field: Int,
        ofRecordsFrom first: Int,
        rows: Range<Int>,
        _ block: UnsafeRawBufferPointer,
        at start: Int,
        in batch: inout RecordBatch
    ) {
        if width > 0, states < 0, scales < 0, fieldEncoding != .plain {
            batch.setFields(
                field,
                ofRecordsFrom: first,
                count: rows.count,
                start: start + values + rows.lowerBound * width,
                width: width,
                encoding: fieldEncoding,
                scale: scale
            )
            return
        }
        let offset = first &- rows.lowerBound
        for row in rows {
            if states >= 0, unsafe !holdsValue(block, row, field, row &+ offset, &batch) { continue }
            switch encoding {
            case .integer, .decimal, .float, .boolean, .time:
                batch.setField(
                    field,
                    ofRecordAt: row &+ offset,
                    start: start &+ values &+ row &* width,
                    length: width,
                    encoding: fieldEncoding,
                    scale: scales < 0 ? scale : unsafe block[scales &+ row]
                )
            case .text, .words:
                let (textStart, textEnd) = unsafe text(block, encoding == .text ? row : Int(block[words &+ row]))
                batch.setField(
                    field,
                    ofRecordAt: row &+ offset,
                    start: start &+ textStart,
                    length: textEnd &- textStart,
                    encoding: .plain
                )
            case .json:
                let (textStart, textEnd) = unsafe text(block, row)
                let kind = unsafe block[textStart]
                batch.setField(
                    field,
                    ofRecordAt: row &+ offset,
                    start: start &+ textStart &+ 1,
                    length: textEnd &- textStart &- 1,
                    encoding: kind == BinaryLayout.Kind.text ? .plain : kind == BinaryLayout.Kind.bare ? .bare : .nested
                )
            }
        }
    }

    /// Whether a record has a value; notes what it has instead.
    private func holdsValue(
        _ block: UnsafeRawBufferPointer,
        _ row: Int,
        _ field: Int,
        _ index: Int,
        _ batch: inout RecordBatch
    ) -> Bool {
        let state = unsafe state(block, row)
        switch state {
        case BinaryLayout.State.value: return true
        case BinaryLayout.State.absent: return false
        default:
            batch.setField(
                field,
                ofRecordAt: index,
                start: 0,
                length: 0,
                encoding: state == BinaryLayout.State.null ? .null : .plain
            )
            return false
        }
    }
}
