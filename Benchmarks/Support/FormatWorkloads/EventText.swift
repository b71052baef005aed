internal import CommonStream
internal import WeirCore

/// Text of events, made faster than by interpolation: there are millions of them.
struct EventText {
    private(set) var bytes: [UInt8] = []

    /// A value with six decimals, as a reader has it that rounds correctly.
    func rounded(_ value: Double) -> Double { Double(millionths(value)) / 1_000_000 }

    mutating func append(_ text: String) { bytes += text.utf8 }

    /// Appends an event: time, key, type and value, with the given texts before, between and behind them.
    ///
    /// Without its key an event has the third text right behind its time.
    mutating func append(_ event: StreamEvent, _ texts: [StaticString], hasKey: Bool = true) {
        append(texts[0])
        append(event.timestamp.nanosecondsSinceEpoch / 1_000_000, digits: 1)
        if hasKey {
            append(texts[1])
            append(Int64(event.key), digits: 1)
        }
        append(texts[2])
        bytes.append(UInt8(ascii: "A") + event.type)
        append(texts[3])
        bytes.append(UInt8(ascii: "0"))
        bytes.append(UInt8(ascii: "."))
        append(millionths(event.value), digits: 6)
        append(texts[4])
    }

    private func millionths(_ value: Double) -> Int64 { Int64(value * 1_000_000) }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: Int64, digits: Int) {
        let start = bytes.count
        var rest = number
        while rest > 0 || bytes.count - start < digits {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }
}
