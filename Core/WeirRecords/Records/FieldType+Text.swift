internal import WeirCore

extension FieldType {
    /// What a text looks like: a whole number, a number, a flag, a time that is no bare number, or else text.
    ///
    /// Digits that begin with a needless zero are text, such as the name of a place.
    package init(ofText text: String) {
        var text = text
        self = text.withUTF8 { bytes in
            let digits = unsafe bytes.drop { $0 == UInt8(ascii: "-") }
            let isPadded =
                unsafe digits.first == UInt8(ascii: "0")
                && digits.dropFirst().first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false
            if !isPadded {
                if case .value = unsafe DecimalText.integer(bytes) { return .integer }
                if let value = unsafe DecimalText.double(bytes), value.isFinite { return .float }
            }
            if unsafe bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8) { return .boolean }
            if case .value = unsafe CalendarText.nanoseconds(bytes) { return .time }
            return .text
        }
    }
}
