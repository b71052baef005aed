internal import CWeirPlugin

extension weir_text {
    /// The text, with anything that is not valid UTF-8 replaced.
    var string: String {
        guard let bytes = unsafe bytes else { return "" }
        // The other side promises `length` bytes during the call.
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
    }

    /// A copy of a text that stays for ever; for the few texts of a plugin's table.
    static func permanent(_ text: String) -> weir_text {
        let utf8 = Array(text.utf8)
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, utf8.count))
        unsafe copy.initialize(from: utf8, count: utf8.count)
        return unsafe weir_text(bytes: copy, length: utf8.count)
    }

    /// Lends a text for the duration of a call.
    static func lending<Result>(_ text: String, _ body: (weir_text) -> Result) -> Result {
        var text = text
        return text.withUTF8 { unsafe body(weir_text(bytes: $0.baseAddress, length: $0.count)) }
    }
}
