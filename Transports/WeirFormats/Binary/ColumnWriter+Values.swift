internal import WeirCore
internal import WeirRecords

/// How the values of a column are written.
extension ColumnWriter {
    func writeStates(to output: inout [UInt8]) {
        for first in stride(from: 0, to: states.count, by: 4) {
            var byte: UInt8 = 0
            for row in first..<min(first + 4, states.count) { byte |= states[row] << UInt8(2 * (row - first)) }
            output.append(byte)
        }
    }

    func writeNumbers(width: Int, to output: inout [UInt8]) {
        for number in numbers {
            switch width {
            case 1: output.append(UInt8(truncatingIfNeeded: number))
            case 2: BinaryLayout.append(Int16(truncatingIfNeeded: number), to: &output)
            case 4: BinaryLayout.append(Int32(truncatingIfNeeded: number), to: &output)
            default: BinaryLayout.append(number, to: &output)
            }
        }
    }

    func writeTexts(to output: inout [UInt8]) {
        BinaryLayout.append(UInt32(0), to: &output)
        for end in textEnds { BinaryLayout.append(UInt32(end), to: &output) }
        output.append(contentsOf: texts)
    }

    func writeKinds(to output: inout [UInt8]) {
        var end: UInt32 = 0
        BinaryLayout.append(end, to: &output)
        for row in states.indices {
            if states[row] == BinaryLayout.State.value { end += UInt32(textRange(row).count + 1) }
            BinaryLayout.append(end, to: &output)
        }
        for row in states.indices where states[row] == BinaryLayout.State.value {
            let kind =
                switch shapes[row] {
                case .bare: BinaryLayout.Kind.bare
                case .nested: BinaryLayout.Kind.nested
                default: areUntyped && isNumberOrFlag(row) ? BinaryLayout.Kind.bare : BinaryLayout.Kind.text
                }
            output.append(kind)
            output.append(contentsOf: text(row))
        }
    }

    func isNumberOrFlag(_ row: Int) -> Bool {
        let range = textRange(row)
        return unsafe texts.withUnsafeBufferPointer { all in
            unsafe JSONValueText.isNumberOrFlag(UnsafeBufferPointer(rebasing: all[range]))
        }
    }

    func textRange(_ row: Int) -> Range<Int> {
        (row == 0 ? 0 : textEnds[row - 1])..<textEnds[row]
    }

    func text(_ row: Int) -> ArraySlice<UInt8> {
        texts[textRange(row)]
    }
}
