/// In which form matches are kept until a host takes them; chosen once for each output.
package enum MatchForm: Sendable {
    /// As lines of JSON, which go out as they are.
    case lines

    /// As a ``FieldItem`` each, for hosts that write them in another style. The function reads a line that a library
    /// handed over, and appends the item.
    case items(reading: @Sendable (_ line: [UInt8], _ items: inout [UInt8]) -> Void)

    var isItems: Bool { if case .items = self { true } else { false } }

    /// Brings matches into the order of their lines.
    ///
    /// - Parameter matches: What was taken from outputs of this form.
    /// - Returns: The matches.
    /// - Complexity: O(*n* log *n*) comparisons of lines.
    package func sorted(_ matches: [UInt8]) -> [UInt8] {
        switch self {
        case .lines:
            return matches.split(separator: UInt8(ascii: "\n")).sorted { $0.lexicographicallyPrecedes($1) }
                .flatMap { $0 + [UInt8(ascii: "\n")] }
        case .items:
            var all: [(line: [UInt8], match: ArraySlice<UInt8>)] = []
            for match in FieldItems(in: matches) {
                var line: [UInt8] = []
                match.appendLine(in: matches, to: &line)
                line.removeLast()
                all.append((line, matches[match.start..<match.content.upperBound]))
            }
            return all.sorted { $0.line.lexicographicallyPrecedes($1.line) }.flatMap(\.match)
        }
    }
}
