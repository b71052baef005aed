/// A bit for each of 512 rows.
typealias RowBits = SIMD8<UInt64>

extension SIMD8<UInt64> {
    /// How many rows a block has at most.
    static var rowCount: Int { 512 }

    /// The bits of the first rows.
    static func first(_ count: Int) -> RowBits {
        var bits = RowBits.zero
        for word in 0..<8 {
            let rest = count - word * 64
            bits[word] = rest >= 64 ? .max : rest > 0 ? 1 << UInt64(rest) - 1 : 0
        }
        return bits
    }

    var isEmpty: Bool { self == .zero }

    subscript(row row: Int) -> Bool { self[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    /// Calls a function with each row whose bit is set, in order.
    @inline(__always)
    func forEachRow(_ body: (Int) -> Void) {
        for word in 0..<8 {
            var rest = self[word]
            while rest != 0 {
                body(word << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}

/// The truths of a condition for each of 512 rows.
struct TruthBits {
    /// Where it is true.
    var yes: RowBits
    /// Where it is true or false.
    var known: RowBits

    static var allYes: TruthBits { TruthBits(yes: ~RowBits.zero, known: ~RowBits.zero) }

    var no: RowBits { known & ~yes }

    static prefix func ! (truths: TruthBits) -> TruthBits { TruthBits(yes: truths.no, known: truths.known) }

    func and(_ other: TruthBits) -> TruthBits {
        TruthBits(yes: yes & other.yes, known: (yes & other.yes) | no | other.no)
    }

    func or(_ other: TruthBits) -> TruthBits {
        TruthBits(yes: yes | other.yes, known: yes | other.yes | (no & other.no))
    }
}
