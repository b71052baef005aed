/// The headers of a message: fields, and for answers of servers a status.
package struct NATSHeaders: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Such as 503 where nobody answers; `nil` for messages of programs.
    package private(set) var status: Int?

    /// What the status says in words.
    package private(set) var words = ""

    package private(set) var fields: [Field] = []

    private static let version = "NATS/1.0"

    /// Creates headers to send.
    package init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Reads the headers of a message.
    ///
    /// - Returns: `nil` for what are no headers of version 1.0, which only a program can have sent, and not a server.
    init?(_ bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(Self.version), text.utf8.suffix(2).elementsEqual("\r\n".utf8) else { return nil }
        // By bytes: CR and LF are one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let first = lines[0].dropFirst(Self.version.count)
        let parts = first.split(separator: " ", maxSplits: 1)
        if let number = parts.first {
            guard number.utf8.count == 3, let status = Int(number) else { return nil }
            self.status = status
            words = parts.count > 1 ? String(parts[1]) : ""
        }
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
            let value = line[line.index(after: colon)...]
            fields.append(Field(String(line[..<colon]), value.trimmingBlanks))
        }
    }

    /// The first value of a field; names are compared as they are.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The bytes before the payload; empty where there are no fields.
    ///
    /// - Throws: ``NATSError`` where a name or a value would break out of its line.
    func encoded() throws(NATSError) -> [UInt8] {
        guard !fields.isEmpty else { return [] }
        var text = Self.version + "\r\n"
        for field in fields {
            guard !field.name.isEmpty,
                field.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }),
                !field.value.utf8.contains(where: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") })
            else { throw NATSError(.unsendable, "a header has a character that ends its line") }
            text += "\(field.name): \(field.value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var slice = utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        while let last = slice.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { slice.removeLast() }
        return String(Substring(slice))
    }
}
