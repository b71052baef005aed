internal import WeirCore

/// Finds where an element ends that is not all there, or that has a flaw, and can stop at any byte and go on later.
///
/// An object or an array ends where it is closed, and anything else before the next comma, brace, bracket or line. A string ends
/// with its line at the latest, and a brace or a bracket that closes another kind is passed. Where one is missing, the next
/// element is known by its place: it starts a line, no further to the right than this one.
struct JSONElementScanner {
    /// What was found, counted from the element's start.
    enum Outcome: Equatable {
        /// The element ends there.
        case end(Int)
        /// The next element seems to start there.
        case nextStart(Int)
        /// Everything was scanned, and the element goes on.
        case incomplete
    }

    /// How many bytes were scanned.
    private(set) var offset = 0

    private let opening: UInt8

    /// Whether the first byte was scanned, which may be one that ends other elements.
    private var hasBegun = false

    /// How many bytes stand before the element in its line.
    private let column: Int

    // How much is open, and whether each is a brace, or a bracket.
    private var depth = 0
    private var braces = JSONNesting()
    private var isInString = false
    private var isEscaped = false

    // How many bytes stand before the next one in its line, while they are blanks and commas only.
    private var indent: Int?

    // Where the start of a line is next worth a look: twice as far each time, so that looks at what stands before it take no
    // more than a few times as long as the element.
    private var nextLook = 0

    /// Creates a scanner at the start of an element.
    ///
    /// - Parameters:
    ///   - opening: Its first byte; neither a blank, nor a comma.
    ///   - column: How many bytes stand before it in its line.
    init(opening: UInt8, column: Int) {
        self.opening = opening
        self.column = column
    }

    /// Whether the element is an object, or begins like one.
    var isObject: Bool { opening == UInt8(ascii: "{") }

    private var isNested: Bool { isObject || opening == UInt8(ascii: "[") }

    /// Counts from the next byte on: those before it are gone.
    ///
    /// Every start of a line is looked at from now on.
    mutating func forgetScanned() {
        offset = 0
        nextLook = 0
    }

    /// Scans on.
    ///
    /// - Parameters:
    ///   - element: Where the element starts, or the part of it that is left.
    ///   - count: How many bytes there are; those that were scanned before must be the same.
    /// - Returns: What was found. After ``Outcome/nextStart(_:)`` one may scan on.
    mutating func scan(_ element: UnsafePointer<UInt8>, count: Int) -> Outcome {
        while offset < count {
            let byte = unsafe element[offset]
            if byte == UInt8(ascii: "\n") {
                if !isNested { return .end(offset) }
                isInString = false
                isEscaped = false
                indent = 0
                offset += 1
            } else if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                offset += 1
            } else if let outcome = pass(byte) {
                return outcome
            }
        }
        return .incomplete
    }

    /// Passes a byte outside of strings, unless the element ends before it.
    private mutating func pass(_ byte: UInt8) -> Outcome? {
        if !isNested, hasBegun, Self.endsOthers(byte) { return .end(offset) }
        hasBegun = true
        offset += 1
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: ","):
            if let indent { self.indent = indent + 1 }
            return nil
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"):
            let startsLine = indent.map { $0 <= column } ?? false
            if isNested { open(byte) }
            indent = nil
            guard isObject, startsLine, offset > nextLook else { return nil }
            nextLook = 2 * offset
            return .nextStart(offset - 1)
        case UInt8(ascii: "["): if isNested { open(byte) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            // One that closes nothing is passed.
            if depth > 0, close(byte) { return .end(offset) }
        default: break
        }
        indent = nil
        return nil
    }

    private static func endsOthers(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }

    private mutating func open(_ byte: UInt8) {
        if unsafe depth < JSONCursor.maximumDepth { braces[depth] = byte == UInt8(ascii: "{") }
        depth += 1
    }

    /// Closes what was opened last, when it is of the same kind; deeper than JSON may be nested, whatever it is.
    ///
    /// - Returns: Whether nothing is open any more.
    private mutating func close(_ byte: UInt8) -> Bool {
        if unsafe depth <= JSONCursor.maximumDepth, braces[depth - 1] != (byte == UInt8(ascii: "}")) { return false }
        depth -= 1
        return depth == 0
    }
}
