internal import CWeir
internal import WeirCore

/// Finds time zones by their names, in the system's files.
package enum ZoneFolder {
    /// Why there is no such zone, in words that follow the option's name.
    package struct NotFound: Error, Hashable {
        package let reason: String
    }

    /// Where systems have them.
    static let paths = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"]

    /// The rules of a zone.
    ///
    /// - Parameter name: A name such as `Europe/Amsterdam`, `UTC`, or a distance from it such as `+02:00`, which need no
    ///   file.
    /// - Returns: The rules.
    /// - Throws: ``NotFound``.
    package static func rules(of name: String) throws(NotFound) -> ZoneRules {
        if name == "UTC" || name == "Z" { return ZoneRules(name: "UTC", offset: 0) }
        if let offset = offset(name) { return ZoneRules(name: name, offset: offset) }
        guard isName(name) else {
            throw NotFound(reason: "'\(Excerpt.of(name.utf8, limit: 40))' is no name of a time zone")
        }
        for path in paths {
            guard let bytes = contents(path + "/" + name, limit: ZoneFile.largestSize) else { continue }
            do throws(ZoneFile.Flaw) {
                return try ZoneFile.rules(bytes, name: name)
            } catch {
                throw NotFound(reason: "'\(path)/\(name)' \(error.reason)")
            }
        }
        throw NotFound(reason: "there is no time zone '\(name)'" + suggestion(for: name))
    }

    /// The seconds of `+02:00`, `-0330` or `+01`.
    private static func offset(_ text: String) -> Int64? {
        guard text.hasPrefix("+") || text.hasPrefix("-") else { return nil }
        let whole = Array("2000-01-01T00:00:00\(text)".utf8)
        var form = CalendarForm(rawValue: 0)
        return unsafe whole.withUnsafeBufferPointer { unsafe CalendarText.reading($0, &form) }?.offset
    }

    /// Whether a name leads nowhere but into the folder.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= 255 else { return false }
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                        UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }

    private static func suggestion(for name: String) -> String {
        let names = names()
        guard !names.isEmpty else {
            return paths.contains { contents($0 + "/Europe/London", limit: 4) != nil }
                ? "" : "; this system has no time zones, which come with the package 'tzdata'"
        }
        let city = names.first { $0.split(separator: "/").last?.lowercased() == name.lowercased() }
        return city.map { "; did you mean '\($0)'?" }
            ?? Suggestion.text(for: name, among: names, otherwise: "such as Europe/Amsterdam, UTC or +02:00")
    }

    /// The names of all zones, as the list among their files has them; empty where there is none.
    static func names() -> [String] {
        for path in paths {
            if let list = contents(path + "/tzdata.zi", limit: 1 << 20) { return names(inRules: list) }
            guard let list = contents(path + "/zone.tab", limit: 1 << 20) else { continue }
            return String(decoding: list, as: UTF8.self).split(separator: "\n")
                .compactMap { line in
                    let fields = line.split(separator: "\t")
                    return line.hasPrefix("#") || fields.count < 3 ? nil : String(fields[2])
                }
        }
        return []
    }

    /// The names in the compact text of the database: lines `Z NAME ...` and `L TARGET NAME`.
    private static func names(inRules text: [UInt8]) -> [String] {
        String(decoding: text, as: UTF8.self).split(separator: "\n")
            .compactMap { line in
                let words = line.split(separator: " ", maxSplits: 3)
                switch words.first {
                case "Z"?: return words.count > 1 ? String(words[1]) : nil
                case "L"?: return words.count > 2 ? String(words[2]) : nil
                default: return nil
                }
            }
    }

    /// The bytes of a file, one more than the limit at most; `nil` where it cannot be read.
    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            unsafe count = max(0, cweir_file_read(path, start, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }
}
