/// A value in a flat buffer, with its name: what a match is kept as until a style writes it.
///
/// In the buffer an item is a head of two words, the bytes of its name, and its content: the items of an object or an
/// array one after the other, otherwise text. The matches are items that follow each other, so that buffers can be joined.
package struct FieldItem {
    /// What the content is.
    package enum Kind: UInt8 {
        /// Items with names. Those of a match have the fields; its own name is the line of JSON that it was read from,
        /// empty where a plugin wrote its fields.
        case object
        /// Items without names.
        case array
        /// The text itself, without escapes.
        case text
        /// A number as JSON writes it.
        case number
        /// `true` or `false`.
        case flag
        /// Nothing that matters.
        case null
        /// Nothing, in place of a match: its name is a line that is no JSON object.
        case unreadable
    }

    /// What the content is.
    package let kind: Kind

    /// Where the name is in the buffer.
    package let name: Range<Int>

    /// Where the content is in the buffer.
    package let content: Range<Int>

    /// Where the item begins.
    package var start: Int { name.lowerBound - Self.headLength }

    private static let headLength = 16

    /// Reads the item at a place.
    fileprivate init(in buffer: [UInt8], at place: Int) {
        let (tag, length) = unsafe buffer.withUnsafeBytes { bytes in
            precondition(place >= 0 && place <= bytes.count - Self.headLength, "there is no item")
            return unsafe (
                bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            )
        }
        kind = Kind(rawValue: UInt8(truncatingIfNeeded: tag)) ?? .unreadable
        let start = place + Self.headLength
        let nameEnd = start + Int(tag >> 8)
        name = start..<nameEnd
        content = nameEnd..<nameEnd + Int(length)
    }

    /// Appends the head and the name of an item, whose content is to follow.
    ///
    /// - Returns: What ``end(_:in:)`` wants to know.
    static func begin(_ kind: Kind, named name: UnsafeBufferPointer<UInt8>, in buffer: inout [UInt8]) -> Int {
        let start = buffer.count
        let head = (UInt64(kind.rawValue) | UInt64(name.count) << 8, UInt64(0))
        unsafe withUnsafeBytes(of: head) { unsafe buffer.append(contentsOf: $0) }
        unsafe buffer.append(contentsOf: name)
        return start
    }

    /// Ends the item that began at a place with what was appended since.
    static func end(_ start: Int, in buffer: inout [UInt8]) {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            let nameLength = unsafe Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) >> 8)
            let length = bytes.count - start - headLength - nameLength
            unsafe bytes.storeBytes(of: UInt64(length), toByteOffset: start + 8, as: UInt64.self)
        }
    }

    /// Appends an item.
    ///
    /// - Parameters:
    ///   - kind: What the content is.
    ///   - name: Its name.
    ///   - buffer: The items.
    ///   - content: Appends the content.
    package static func append(
        _ kind: Kind,
        named name: String,
        to buffer: inout [UInt8],
        _ content: (inout [UInt8]) -> Void = { _ in }
    ) {
        var name = name
        let start = name.withUTF8 { unsafe begin(kind, named: $0, in: &buffer) }
        content(&buffer)
        end(start, in: &buffer)
    }

    /// Appends a match as a line of JSON.
    ///
    /// - Parameters:
    ///   - buffer: Has the item.
    ///   - line: The text is appended to it.
    package func appendLine(in buffer: [UInt8], to line: inout [UInt8]) {
        if name.isEmpty, kind == .object {
            appendJSON(in: buffer, to: &line)
        } else {
            line += buffer[name]
        }
        line.append(UInt8(ascii: "\n"))
    }

    /// Appends the value as JSON.
    package func appendJSON(in buffer: [UInt8], to json: inout [UInt8]) {
        switch kind {
        case .object: appendList("{", "}", in: buffer, to: &json)
        case .array: appendList("[", "]", in: buffer, to: &json)
        case .text: JSONWriter.append(buffer[content], to: &json)
        case .number, .flag: json += buffer[content]
        case .null, .unreadable: json += "null".utf8
        }
    }

    private func appendList(
        _ opening: Unicode.Scalar,
        _ closing: Unicode.Scalar,
        in buffer: [UInt8],
        to json: inout [UInt8]
    ) {
        json.append(UInt8(ascii: opening))
        var isFirst = true
        for item in FieldItems(in: buffer, content) {
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            if kind == .object {
                JSONWriter.append(buffer[item.name], to: &json)
                json.append(UInt8(ascii: ":"))
            }
            item.appendJSON(in: buffer, to: &json)
        }
        json.append(UInt8(ascii: closing))
    }
}

/// The items of a stretch of a buffer, one after the other.
package struct FieldItems: Sequence, IteratorProtocol {
    private let buffer: [UInt8]
    private var place: Int
    private let end: Int

    /// The items of a stretch, which is the content of an object or an array.
    package init(in buffer: [UInt8], _ stretch: Range<Int>) {
        self.buffer = buffer
        (place, end) = (stretch.lowerBound, stretch.upperBound)
    }

    /// The matches of a buffer.
    package init(in buffer: [UInt8]) {
        self.init(in: buffer, buffer.indices)
    }

    package mutating func next() -> FieldItem? {
        guard place < end else { return nil }
        let item = FieldItem(in: buffer, at: place)
        place = item.content.upperBound
        return item
    }
}
