/// Resolves what formats do to text that holds their own special characters.
package enum QuotedText {
    /// The text of a CSV field whose quotes are doubled.
    ///
    /// - Parameter text: The bytes between the quotes; quotes come in pairs.
    /// - Returns: `nil` when the text is not valid UTF-8.
    package static func undoublingQuotes(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            var count = 0
            var index = 0
            while index < text.count {
                let byte = unsafe text[index]
                unsafe buffer.initializeElement(at: count, to: byte)
                count += 1
                index += byte == UInt8(ascii: "\"") ? 2 : 1
            }
            return unsafe String(validating: buffer.prefix(count), as: UTF8.self)
        }
    }

    /// Appends what ``undoublingQuotes(_:)`` makes, whether or not it is valid UTF-8.
    package static func appendUndoublingQuotes(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            let byte = unsafe text[index]
            bytes.append(byte)
            index += byte == UInt8(ascii: "\"") ? 2 : 1
        }
    }

    /// The text of a JSON string.
    ///
    /// - Parameter text: The bytes between the quotes.
    /// - Returns: `nil` when an escape is none of JSON's, a surrogate stands alone, or the text is not valid UTF-8.
    package static func resolvingEscapes(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        // No escape is shorter than what it stands for.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            var count = 0
            let isValid = unsafe resolveEscapes(text) { byte in
                unsafe buffer.initializeElement(at: count, to: byte)
                count += 1
            }
            return unsafe isValid ? String(validating: buffer.prefix(count), as: UTF8.self) : nil
        }
    }

    /// The text of a JSON string.
    ///
    /// - Parameter text: The bytes between the quotes.
    /// - Returns: `nil` when an escape is none of JSON's, a surrogate stands alone, or the text is not valid UTF-8.
    package static func resolvingEscapes(_ text: ArraySlice<UInt8>) -> String? {
        unsafe text.withUnsafeBufferPointer { unsafe resolvingEscapes($0) }
    }

    /// Appends what ``resolvingEscapes(_:)`` makes, whether or not it is valid UTF-8.
    ///
    /// - Returns: False when an escape is none of JSON's, or a surrogate stands alone; what comes before it was
    ///   appended.
    package static func appendResolvingEscapes(
        _ text: UnsafeBufferPointer<UInt8>,
        to bytes: inout [UInt8]
    ) -> Bool {
        unsafe resolveEscapes(text) { bytes.append($0) }
    }

    private static func resolveEscapes(_ text: UnsafeBufferPointer<UInt8>, _ append: (UInt8) -> Void) -> Bool {
        var index = 0
        while index < text.count {
            let byte = unsafe text[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            guard index < text.count else { return false }
            let kind = unsafe text[index]
            index += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(kind)
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = unsafe escapedScalar(text, &index) else { return false }
                for byte in String(scalar).utf8 { append(byte) }
            default: return false
            }
        }
        return true
    }

    /// The scalar of the hexadecimal digits at `index`, with the second surrogate where the first one stands there.
    private static func escapedScalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
        guard let first = unsafe codeUnit(text, &index) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(UInt32(first)) }
        guard index + 1 < text.count, unsafe text[index] == UInt8(ascii: "\\"),
            unsafe text[index + 1] == UInt8(ascii: "u")
        else { return nil }
        index += 2
        guard let second = unsafe codeUnit(text, &index), UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
    }

    /// The code unit of the four hexadecimal digits at `index`.
    private static func codeUnit(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt16? {
        guard text.count - index >= 4 else { return nil }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = unsafe text[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
