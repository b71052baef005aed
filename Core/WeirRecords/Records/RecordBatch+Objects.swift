/// Records as JSON objects, where that is simple.
extension RecordBatch {
    /// What fits onto the stack.
    private static var longestObject: Int { 1_024 }

    /// Appends a record as a JSON object in one piece, where its fields are whole numbers that are stored as such, what
    /// stands without quotes, and texts without escapes.
    ///
    /// - Parameters:
    ///   - index: The record's index, below ``count``.
    ///   - names: The name of each field of the schema as JSON, with a comma before it and a colon behind it.
    ///   - json: The object is appended to it.
    /// - Returns: Whether it was; otherwise nothing is appended.
    package func appendSimpleObject(ofRecordAt index: Int, names: [[UInt8]], to json: inout [UInt8]) -> Bool {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        precondition(names.count == fieldCount, "there are \(fieldCount) fields, and \(names.count) names")
        let slots = unsafe slots + index * fieldCount
        // Of each field the name, and digits with a sign or a text with its quotes.
        var bound = 2
        for field in 0..<fieldCount { unsafe bound += names[field].count + max(20, Int(slots[field].length) + 2) }
        guard bound <= Self.longestObject else { return false }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { buffer in
            guard let start = buffer.baseAddress else { return false }
            var next = unsafe start
            for field in 0..<fieldCount {
                let slot = unsafe slots[field]
                guard slot.encoding != .absent else { continue }
                unsafe names[field]
                    .withUnsafeBufferPointer { name in
                        guard let first = name.baseAddress else { return }
                        unsafe next.update(from: first, count: name.count)
                        unsafe next += name.count
                    }
                guard let end = unsafe write(slot, to: next) else { return false }
                unsafe next = end
            }
            // The first comma is no comma.
            if unsafe next == start { unsafe next += 1 }
            unsafe start.pointee = UInt8(ascii: "{")
            unsafe next.pointee = UInt8(ascii: "}")
            unsafe json.append(contentsOf: UnsafeBufferPointer(start: start, count: next + 1 - start))
            return true
        }
    }

    /// Writes a value.
    ///
    /// - Returns: Where it ends; `nil` where it is not simple.
    @inline(__always)
    private func write(_ slot: Slot, to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>? {
        let text = unsafe base + Int(slot.start)
        let count = Int(slot.length)
        switch slot.encoding {
        case .integer:
            guard let number = unsafe BinaryValue(base: base, slot: slot).integer else { return nil }
            var next = unsafe bytes
            if number < 0 {
                unsafe next.pointee = UInt8(ascii: "-")
                unsafe next += 1
            }
            let digits = DecimalText.digitCount(number.magnitude)
            unsafe DecimalText.write(number.magnitude, digits, to: next)
            return unsafe next + digits
        case .bare:
            unsafe bytes.update(from: text, count: count)
            return unsafe bytes + count
        case .plain:
            var isSimple = true
            for index in 0..<count {
                let byte = unsafe text[index]
                isSimple = isSimple && byte >= 0x20 && byte < 0x80
                isSimple = isSimple && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                unsafe bytes[index + 1] = byte
            }
            guard isSimple else { return nil }
            unsafe bytes.pointee = UInt8(ascii: "\"")
            unsafe bytes[count + 1] = UInt8(ascii: "\"")
            return unsafe bytes + count + 2
        default: return nil
        }
    }
}
