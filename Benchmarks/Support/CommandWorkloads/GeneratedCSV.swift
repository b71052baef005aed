internal import CommonStream

/// Readings of an accelerometer as CSV: lying still, and shaken for half a second every 100 seconds, unless it is left
/// alone.
///
/// Fifty readings a second, accelerations in g with four decimals, about thirty bytes a row; the same for the same
/// number of rows.
struct GeneratedCSV {
    /// One reading: milliseconds, and ten-thousandths of g.
    private typealias Reading = (time: Int, x: Int, y: Int, z: Int)

    /// How many rows there are, without the header.
    let rowCount: Int

    /// How many shakes the plugin has to find with its defaults: computed here, by the literal rule.
    private(set) var shakeCount = 0

    /// How long the text is.
    private(set) var byteCount = 0

    /// Writes the rows.
    ///
    /// - Parameters:
    ///   - rowCount: How many, without the header.
    ///   - isStill: Whether it is never shaken.
    ///   - write: Gets the text, piece by piece.
    init(rowCount: Int, isStill: Bool = false, write: ([UInt8]) throws -> Void) rethrows {
        self.rowCount = rowCount
        var random = SplitMix64(seed: 42)
        var piece = Array("time,x,y,z\n".utf8)
        var previous: Reading?
        var lastTime: Int?
        for index in 0..<rowCount {
            let reading = Self.reading(index, isStill: isStill, &random)
            if let previous, Self.isShake(previous, reading) {
                // A burst lasts until it is quiet for more than half a second.
                if lastTime.map({ reading.time - $0 > 500 }) ?? true { shakeCount += 1 }
                lastTime = reading.time
            }
            previous = reading
            Self.append(reading, to: &piece)
            if piece.count > 1 << 20 || index == rowCount - 1 {
                try write(piece)
                byteCount += piece.count
                piece.removeAll(keepingCapacity: true)
            }
        }
    }

    private static func reading(_ index: Int, isStill: Bool, _ random: inout SplitMix64) -> Reading {
        let draw = random.next()
        func noise(_ shift: UInt64) -> Int { Int((draw >> shift) & 0x7FF) - 1024 }
        let isShaken = !isStill && index % 5000 >= 2500 && index % 5000 < 2525
        let swing = !isShaken ? 0 : index % 2 == 0 ? 15_000 : -15_000
        return (time: index * 20, x: noise(0) + swing, y: noise(11) + swing / 4, z: noise(22) + 10_000)
    }

    /// The rule as it is defined, on the numbers as they are parsed.
    private static func isShake(_ previous: Reading, _ current: Reading) -> Bool {
        func differs(_ previous: Int, _ current: Int) -> Bool {
            (Double(current) / 10_000 - Double(previous) / 10_000).magnitude > 1
        }
        return differs(previous.x, current.x) || differs(previous.y, current.y) || differs(previous.z, current.z)
    }

    private static func append(_ reading: Reading, to text: inout [UInt8]) {
        appendDigits(reading.time, atLeast: 1, to: &text)
        for value in [reading.x, reading.y, reading.z] {
            text.append(UInt8(ascii: ","))
            if value < 0 { text.append(UInt8(ascii: "-")) }
            appendDigits(Int(value.magnitude) / 10_000, atLeast: 1, to: &text)
            text.append(UInt8(ascii: "."))
            appendDigits(Int(value.magnitude) % 10_000, atLeast: 4, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }

    private static func appendDigits(_ number: Int, atLeast least: Int, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        while rest > 0 || text.count - start < least {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        text[start...].reverse()
    }
}

/// The rows in memory.
struct CSVInMemory {
    let bytes: [UInt8]
    let rowCount: Int
    let shakeCount: Int

    /// Makes the rows.
    init(rowCount: Int, isStill: Bool = false) {
        var bytes: [UInt8] = []
        let csv = GeneratedCSV(rowCount: rowCount, isStill: isStill) { bytes += $0 }
        self.bytes = bytes
        self.rowCount = rowCount
        shakeCount = csv.shakeCount
    }
}
