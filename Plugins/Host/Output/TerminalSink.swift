internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Writes to a terminal what others wrote, so that it controls nothing.
///
/// Control characters and the controls of bidirectional text go out like `\u001b`, and bytes that are not UTF-8 as
/// U+FFFD. Tabs and ends of lines stay.
final class TerminalSink: TransportSink {
    private let sink: any TransportSink

    /// The start of a character, or a return whose line feed may follow.
    private var rest: [UInt8] = []

    init(_ sink: any TransportSink) {
        self.sink = sink
    }

    var meter: TransportMeter? { sink.meter }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        for index in bytes.indices { rest.append(bytes[index]) }
        let end = rest.count - unfinishedCount
        guard end > 0 else { return }
        let whole = Array(rest[..<end])
        rest.removeFirst(end)
        try sink.write(Self.shown(whole))
    }

    func finish() throws(TransportError) {
        if !rest.isEmpty { try sink.write(Self.shown(rest)) }
        rest = []
        try sink.finish()
    }

    /// How many bytes at the end cannot be judged before others follow.
    private var unfinishedCount: Int {
        guard let last = rest.last else { return 0 }
        if last == UInt8(ascii: "\r") { return 1 }
        // The bytes of a character after its first one begin with the bits 10; the first one says how many there are.
        guard let start = rest.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
        let count = rest.count - start
        return rest[start] >= 0xC0 && count < (~rest[start]).leadingZeroBitCount ? count : 0
    }

    private static func shown(_ bytes: [UInt8]) -> [UInt8] {
        var shown = String.UnicodeScalarView()
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let hasReturn = line.last == "\r" && index + 1 < lines.count
            let text = String(Substring(hasReturn ? line.dropLast() : line))
            shown += Excerpt.escaped(text) { $0 == "\t" }.unicodeScalars
            if index + 1 < lines.count { shown += (hasReturn ? "\r\n" : "\n").unicodeScalars }
        }
        return Array(String(shown).utf8)
    }
}

extension Address {
    /// Whether a terminal shows what is written there.
    var isTerminal: Bool {
        transport.scheme == "stdout" ? StandardStream.output.isTerminal : isFile && FileSystem.isTerminal(path)
    }
}
