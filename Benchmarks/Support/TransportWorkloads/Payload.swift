/// Lines of JSON, of 64 bytes each, that are sent again and again.
struct Payload: Sendable {
    static let lineLength = 64

    let bytes: [UInt8]
    let lineCount: Int

    /// How many of the lines have a value above one half.
    let matchCount: Int

    /// Makes lines, the same every time.
    init(lineCount: Int) {
        var bytes: [UInt8] = []
        var matchCount = 0
        for number in 0..<lineCount {
            let thousandths = number * 7919 % 1000
            if thousandths > 500 { matchCount += 1 }
            let digits = String(thousandths)
            let value = "0." + String(repeating: "0", count: 3 - digits.count) + digits
            let start = #"{"time":\#(1_700_000_000_000 + number),"key":\#(number % 1000),"type":""#
            let end = #"","value":\#(value)}"#
            let filler = Self.lineLength - 1 - start.utf8.count - end.utf8.count
            bytes += (start + String(repeating: "A", count: filler) + end + "\n").utf8
        }
        self.bytes = bytes
        self.lineCount = lineCount
        self.matchCount = matchCount
    }

    /// How many of the first lines have a value above one half, when they are sent in turn.
    func matches(inFirst count: Int) -> Int {
        precondition(count % lineCount == 0, "only whole rounds are counted")
        return count / lineCount * matchCount
    }
}
