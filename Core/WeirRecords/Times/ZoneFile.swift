internal import WeirCore

/// Reads the rules of a time zone from the bytes of a TZif file (RFC 8536), of version 1 to 4.
struct ZoneFile {
    /// What is wrong with a file, in words that follow its name.
    struct Flaw: Error, Hashable {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    /// How many bytes a file may have; the largest of the database has about 4000.
    static let largestSize = 64 << 10

    private let bytes: [UInt8]
    private var place = 0

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file; anything else is refused.
    ///   - name: The name of the zone.
    /// - Returns: The rules.
    /// - Throws: ``Flaw``.
    /// - Complexity: O(*n*) for *n* bytes.
    static func rules(_ bytes: [UInt8], name: String) throws(Flaw) -> ZoneRules {
        guard bytes.count <= largestSize else { throw Flaw("is too large to be a time zone") }
        var file = ZoneFile(bytes: bytes)
        return try file.rules(name: name)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The numbers at the start of a part.
    private struct Header {
        let version: UInt8
        let utcFlags, standardFlags, leapSeconds, changes, types, letters: Int

        /// How many bytes follow, where a time takes `width` bytes.
        func length(width: Int) -> Int {
            changes * (width + 1) + types * 6 + letters + leapSeconds * (width + 4) + standardFlags + utcFlags
        }
    }

    private mutating func rules(name: String) throws(Flaw) -> ZoneRules {
        var header = try header()
        var width = 4
        if header.version > 0 {
            // The first part is for programs that know 32 bits only.
            _ = try take(header.length(width: 4))
            header = try self.header()
            width = 8
        }
        guard header.leapSeconds == 0 else { throw Flaw("counts leap seconds, which Unix time does not") }
        guard header.types > 0, header.letters > 0 else { throw Flaw("has no type of time") }
        let times = try take(header.changes * width)
        let indices = try take(header.changes)
        let types = try take(header.types * 6)
        let letters = try take(header.letters)
        _ = try take(header.standardFlags + header.utcFlags)

        var periods: [ZoneRules.Period] = []
        for start in stride(from: types.startIndex, to: types.endIndex, by: 6) {
            let offset = integer(start, 4)
            // What RFC 8536 has for a sensible range.
            guard (-89_999...93_599).contains(offset) else { throw Flaw("has a clock \(offset) s from UTC") }
            let name = letters.dropFirst(Int(bytes[start + 5]))
            guard let end = name.firstIndex(of: 0) else { throw Flaw("has a type of time without a name") }
            periods.append(ZoneRules.Period(offset: offset, abbreviation: Array(name[..<end])))
        }
        var changes: [ZoneRules.Change] = []
        for index in 0..<header.changes {
            let time = integer(times.startIndex + index * width, width)
            let type = Int(bytes[indices.startIndex + index])
            guard type < periods.count else { throw Flaw("names a type of time that it does not have") }
            guard changes.last.map({ $0.time < time }) ?? true else { throw Flaw("has changes that are out of order") }
            // A billion years away on either side nothing overflows.
            guard time.magnitude < 1 << 60 else { throw Flaw("has a change that is out of range") }
            changes.append(ZoneRules.Change(time: time, period: periods[type]))
        }
        if width == 8, let footer = try footer(), let rule = try RecurringZone(footer) {
            changes += rule.changes(after: changes.last?.time ?? .min)
        }
        return ZoneRules(name: name, first: periods[0], changes: changes)
    }

    private mutating func header() throws(Flaw) -> Header {
        let start = place
        let bytes = try take(44)
        guard bytes.starts(with: "TZif".utf8) else { throw Flaw("is no time zone") }
        let counts = (0..<6).map { Int(integer(start + 20 + $0 * 4, 4) & 0xFFFF_FFFF) }
        guard counts.allSatisfy({ $0 <= Self.largestSize }) else { throw Flaw("ends before it should") }
        return Header(
            version: bytes[start + 4],
            utcFlags: counts[0],
            standardFlags: counts[1],
            leapSeconds: counts[2],
            changes: counts[3],
            types: counts[4],
            letters: counts[5]
        )
    }

    /// The text between two ends of lines that closes the file; `nil` where it is empty.
    private mutating func footer() throws(Flaw) -> ArraySlice<UInt8>? {
        let newline = UInt8(ascii: "\n")
        guard try take(1).first == newline, let end = bytes[place...].firstIndex(of: newline) else {
            throw Flaw("ends before it should")
        }
        return end == place ? nil : bytes[place..<end]
    }

    private mutating func take(_ count: Int) throws(Flaw) -> ArraySlice<UInt8> {
        guard count <= bytes.count - place else { throw Flaw("ends before it should") }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// The number in bytes that are there, with its sign, the highest one first.
    private func integer(_ start: Int, _ width: Int) -> Int64 {
        let value = bytes[start..<start + width].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : value
    }
}
