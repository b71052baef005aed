internal import WeirRecords

/// The values of keys as bytes: the same values have the same bytes, and the bytes say the values.
enum KeyEncoding {
    /// What stands before a value, and says what it is.
    enum Tag: UInt8 {
        case missing, no, yes, integer, real, text
    }

    /// Appends a value that is no list.
    static func append(_ value: QueryValue, to bytes: inout [UInt8]) {
        switch value {
        case .missing, .list: bytes.append(Tag.missing.rawValue)
        case .boolean(let flag): bytes.append(flag ? Tag.yes.rawValue : Tag.no.rawValue)
        case .integer(let number): append(.integer, UInt64(bitPattern: number), to: &bytes)
        case .real(let number):
            // A whole number is the same key however it is written.
            if let whole = Int64(exactly: number) {
                append(.integer, UInt64(bitPattern: whole), to: &bytes)
            } else {
                append(.real, number.bitPattern, to: &bytes)
            }
        case .text(let text):
            bytes.append(Tag.text.rawValue)
            var rest = text.utf8.count
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
            bytes.append(contentsOf: text.utf8)
        }
    }

    private static func append(_ tag: Tag, _ bits: UInt64, to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        // The highest byte first, so that whole numbers of a sign are in their order.
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    /// The values of some bytes that were made by ``append(_:to:)``.
    static func values(in bytes: [UInt8]) -> [QueryValue] {
        var values: [QueryValue] = []
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            switch Tag(rawValue: tag) {
            case .no: values.append(.boolean(false))
            case .yes: values.append(.boolean(true))
            case .integer: values.append(.integer(Int64(bitPattern: bits(&rest))))
            case .real: values.append(.real(Double(bitPattern: bits(&rest))))
            case .text:
                var (count, shift) = (0, 0)
                while let byte = rest.popFirst() {
                    count |= Int(byte & 0x7F) << shift
                    shift += 7
                    if byte < 0x80 { break }
                }
                // A damaged checkpoint may say anything.
                count = max(0, count)
                values.append(.text(String(decoding: rest.prefix(count), as: UTF8.self)))
                rest = rest.dropFirst(count)
            default: values.append(.missing)
            }
        }
        return values
    }

    private static func bits(_ rest: inout ArraySlice<UInt8>) -> UInt64 {
        var bits: UInt64 = 0
        for _ in 0..<8 { bits = bits << 8 | UInt64(rest.popFirst() ?? 0) }
        return bits
    }

    /// Appends the values of a key as the members of a JSON object, without its braces.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - names: The name of each value as JSON, with its colon.
    ///   - json: The members are appended to it.
    static func appendMembers(_ key: EventKey, _ names: [[UInt8]], to json: inout [UInt8]) {
        if names.count == 1, let number = key.wholeNumber {
            json.append(contentsOf: names[0])
            return DecimalText.append(number, to: &json)
        }
        for (index, value) in values(in: key.bytes).enumerated() where index < names.count {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.append(contentsOf: names[index])
            switch value {
            case .text(let text): JSONWriter.append(Array(text.utf8)[...], to: &json)
            case .integer(let number): DecimalText.append(number, to: &json)
            default:
                var writer = JSONWriter()
                writer.value(value)
                json.append(contentsOf: writer.bytes)
            }
        }
    }
}
