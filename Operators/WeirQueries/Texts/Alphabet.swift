/// The classes of characters that some sets tell apart.
struct Alphabet: Sendable {
    /// How many classes there are.
    private(set) var count = 0

    /// The class of each character of ASCII.
    private(set) var ascii: [UInt16] = []

    /// Where ranges of one class begin, in order; the first is 0.
    private var starts: [UInt32] = []

    /// The class of each range.
    private var classes: [UInt16] = []

    /// A character of each class.
    private(set) var samples: [UInt32] = []

    /// Finds the classes.
    ///
    /// - Parameters:
    ///   - sets: The sets that they tell apart.
    ///   - ignoresCase: Whether a letter of ASCII has the class of its lower case.
    init(of sets: Set<ScalarSet>, ignoringCase ignoresCase: Bool) {
        var cuts: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            cuts.insert(range.lowerBound)
            cuts.insert(range.upperBound + 1)
        }
        let ordered = Array(sets)
        var classOfSignature: [Bits: UInt16] = [:]
        for start in cuts.sorted() where start <= ScalarSet.all.ranges[0].upperBound {
            var signature = Bits(count: ordered.count)
            for (index, set) in ordered.enumerated() where set.contains(start) { signature.insert(index) }
            let known = classOfSignature[signature]
            if known == nil {
                classOfSignature[signature] = UInt16(samples.count)
                samples.append(start)
            }
            starts.append(start)
            classes.append(known ?? UInt16(samples.count - 1))
        }
        count = samples.count
        ascii = (0..<128).map { (byte: UInt8) in ofOther(UInt32(ignoresCase ? Letters.lower(byte) : byte)) }
    }

    /// The class of a character.
    func ofOther(_ value: UInt32) -> UInt16 {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= value { low = middle } else { high = middle }
        }
        return classes[low]
    }

    /// The characters of a class.
    func set(of classes: Set<UInt16>) -> ScalarSet {
        var ranges: [ClosedRange<UInt32>] = []
        for (index, start) in starts.enumerated() where classes.contains(self.classes[index]) {
            let end = index + 1 < starts.count ? starts[index + 1] - 1 : ScalarSet.all.ranges[0].upperBound
            ranges.append(start...end)
        }
        return ScalarSet(ranges)
    }

    /// The class of the character at a place of a text, and where the next one begins.
    ///
    /// Bytes that are no characters are taken as the sign for that.
    @inline(__always)
    func next(in text: Span<UInt8>, at index: inout Int) -> UInt16 {
        let byte = text[index]
        index += 1
        if byte < 0x80 { return ascii[Int(byte)] }
        return ofOther(Self.scalar(byte, in: text, &index))
    }

    private static func scalar(_ first: UInt8, in text: Span<UInt8>, _ index: inout Int) -> UInt32 {
        let replacement: UInt32 = 0xFFFD
        let length = Letters.length(first)
        guard length > 1, first < 0xF8, index + length - 1 <= text.count else { return replacement }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 0..<(length - 1) {
            let byte = text[index + offset]
            guard Letters.continues(byte) else { return replacement }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        index += length - 1
        return value <= ScalarSet.all.ranges[0].upperBound ? value : replacement
    }
}
