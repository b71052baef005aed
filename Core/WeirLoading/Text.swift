internal import CWeirPlugin

extension weir_text {
    /// The text, with anything that is not valid UTF-8 replaced.
    var string: String { unsafe String(decoding: buffer, as: UTF8.self) }

    /// Words for people, or a name, which are short: a longer text is cut off, with an ellipsis.
    var words: String {
        let buffer = unsafe buffer
        guard unsafe buffer.count > Self.wordLimit else { return unsafe string }
        return unsafe String(decoding: buffer.prefix(Self.wordLimit), as: UTF8.self) + "…"
    }

    private static let wordLimit = 4096

    /// Longer than any text: a library that claims such a length is mistaken.
    private static let lengthLimit = 1 << 32

    /// The bytes; none where the length cannot be.
    @unsafe
    var buffer: UnsafeBufferPointer<UInt8> {
        guard let bytes = unsafe bytes, unsafe (1..<Self.lengthLimit).contains(length) else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        // The other side promises `length` bytes during the call.
        return unsafe UnsafeBufferPointer(start: bytes, count: length)
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

extension weir_setting {
    /// Lends the values that were given for options, by name, for the duration of a call.
    static func lending<Result>(
        _ given: [String: String],
        _ body: (UnsafePointer<weir_setting>?, Int) -> Result
    ) -> Result {
        unsafe lending(given.sorted { $0.key < $1.key }[...], []) { settings in
            unsafe settings.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }

    @unsafe
    private static func lending<Result>(
        _ given: ArraySlice<(key: String, value: String)>,
        _ lent: [weir_setting],
        _ body: ([weir_setting]) -> Result
    ) -> Result {
        guard let (name, value) = given.first else { return unsafe body(lent) }
        return unsafe weir_text.lending(name) { name in
            unsafe weir_text.lending(value) { value in
                unsafe lending(given.dropFirst(), lent + [weir_setting(name: name, value: value)], body)
            }
        }
    }

    /// The values by name, on the other side.
    @unsafe
    static func given(_ settings: UnsafePointer<weir_setting>?, _ count: Int) -> [String: String] {
        var given: [String: String] = [:]
        for index in 0..<count {
            guard let setting = unsafe settings?[index] else { break }
            unsafe given[setting.name.string] = setting.value.string
        }
        return given
    }
}
