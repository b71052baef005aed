internal import WeirCore
internal import WeirRecords

/// Changes to lines of JSON objects.
enum MatchLines {
    /// Puts a member in front of each object.
    ///
    /// - Parameters:
    ///   - lines: Whole lines, an object each.
    ///   - member: The member's name; letters only.
    ///   - text: Its value.
    /// - Returns: The lines.
    static func tag(_ lines: Span<UInt8>, member: String, _ text: String) -> [UInt8] {
        let tag = Array("\"\(member)\":\(JSONWriter.quoted(text))".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(lines.count + 64)
        var isStart = true
        for index in lines.indices {
            let byte = lines[index]
            result.append(byte)
            if isStart, byte == UInt8(ascii: "{") {
                result += tag
                if index + 1 < lines.count, lines[index + 1] != UInt8(ascii: "}") { result.append(UInt8(ascii: ",")) }
            }
            isStart = byte == UInt8(ascii: "\n")
        }
        return result
    }
}
