/// How often lines were rejected for the same reason.
struct RejectionReasons {
    /// How many reasons are told apart; others are counted together.
    private static let limit = 64

    /// As many rejections are shown one by one.
    static let shownCount: UInt64 = 10

    private var counts: [String: UInt64] = [:]

    /// Counts a rejection.
    mutating func add(_ reason: String, times count: UInt64 = 1) {
        let kind = Self.kind(of: reason)
        if counts[kind] != nil || counts.count < Self.limit {
            counts[kind, default: 0] += count
        } else {
            counts["other reasons", default: 0] += count
        }
    }

    /// The reasons, the most frequent first.
    var ranked: [(reason: String, count: UInt64)] {
        counts.map { (reason: $0.key, count: $0.value) }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    /// Reports once why many lines, or all, were rejected.
    ///
    /// - Parameters:
    ///   - tally: What was counted.
    ///   - mend: What may help against a reason, if anything is known.
    /// - Returns: Lines for people, for the three most frequent reasons at most.
    func remarks(_ tally: Tally, mend: (String) -> String? = { _ in nil }) -> [String] {
        guard tally.rejected > Self.shownCount || (tally.events == 0 && tally.rejected > 0) else { return [] }
        let worthwhile = ranked.prefix(3).filter { $0.count > Self.shownCount || tally.events == 0 }
        return worthwhile.map { reason, count in
            let isAll = tally.events == 0 && count == tally.rejected
            let lines = Quantity.counted(count, "line was", "lines were")
            return (isAll ? "every line was rejected" : "\(lines) rejected") + ": \(reason)"
                + (mend(reason).map { "; \($0)" } ?? "")
        }
    }

    /// A reason without what it quotes of the line.
    private static func kind(of reason: String) -> String {
        // Byte by byte, as there may be millions: `: '` begins what is quoted.
        var count = 0
        var last: (UInt8, UInt8) = (0, 0)
        for byte in reason.utf8 {
            count += 1
            if byte == UInt8(ascii: "'"), last == (UInt8(ascii: ":"), UInt8(ascii: " ")) {
                return String(reason.utf8.prefix(count - 3)) ?? reason
            }
            last = (last.1, byte)
        }
        return reason
    }
}
