import WeirCore

/// A stream drawn in characters, from left to right as its signals come.
///
///     let expected: MarbleDiagram = "a--(bc)-^-|"
///
/// | | |
/// |---|---|
/// | `-` | a column in which nothing comes |
/// | `a` | an element; any character that has no other meaning |
/// | `^` | a watermark of the column's time |
/// | `(ab^)` | signals that come at one instant; the group is one column |
/// | <code>&#124;</code> | the end of the stream |
/// | `#` | a failure |
/// | `!` | an interruption |
/// | `a{5}` | an element whose time is that of column 5, wherever it stands: out of order |
/// | `a{5-1}` | the same a nanosecond before column 5, as the results of windows are; `+` goes the other way |
/// | spaces | nothing: to align diagrams |
///
/// Columns are counted from 0; a ``MarbleScale`` maps them to times, a second each by default. Signals further to the
/// right come later. The end carries no time; its column is the time to which a ``VirtualClock`` runs.
public struct MarbleDiagram: Sendable, Hashable {
    /// A signal of the diagram.
    enum Mark: Sendable, Hashable {
        case element(Character)
        case watermark
        case end
        case failure
        case interruption
    }

    /// A signal and when it comes.
    struct Moment: Sendable, Hashable {
        let mark: Mark
        let column: Int
        // The time that it carries.
        var timeColumn: Int
        var nanoseconds: Int64 = 0
    }

    /// As it was written.
    public let text: String

    /// How many columns there are.
    public let columnCount: Int

    let moments: [Moment]

    /// Whether there is a watermark in it.
    public var hasWatermarks: Bool { moments.contains { $0.mark == .watermark } }

    /// Reads a diagram.
    ///
    /// - Parameter text: The characters.
    /// - Throws: ``MarbleError/invalidDiagram(_:position:reason:)``.
    public init(parsing text: String) throws(MarbleError) {
        var parser = MarbleParser(text)
        try parser.parse()
        self.text = text
        moments = parser.moments
        columnCount = parser.column
    }

    /// The signals with values for the elements.
    ///
    /// - Parameters:
    ///   - values: The elements by their characters.
    ///   - scale: The times of the columns.
    ///   - failure: The error of a failure.
    /// - Returns: The signals in order.
    /// - Throws: ``MarbleError/unknownElement(_:diagram:)``.
    public func signals<Element: Sendable>(
        _ values: [Character: Element],
        scale: MarbleScale = MarbleScale(),
        failure: any Error = MarbleFailure()
    ) throws(MarbleError) -> [StreamSignal<Element>] {
        try moments.map { moment throws(MarbleError) in
            let time = scale.time(of: moment.timeColumn, plus: moment.nanoseconds)
            switch moment.mark {
            case .element(let name):
                guard let element = values[name] else { throw .unknownElement(name, diagram: text) }
                return .element(element, time)
            case .watermark: return .watermark(time)
            case .end: return .completion(.finished)
            case .failure: return .completion(.failed(failure))
            case .interruption: return .completion(.interrupted)
            }
        }
    }
}

/// The default error of a failure in a diagram.
public struct MarbleFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Creates the failure.
    public init() {}

    /// How the failure is written.
    public var description: String { "#" }
}

extension MarbleDiagram: ExpressibleByStringLiteral {
    /// Parses a diagram in the source code; traps with a message if it is invalid.
    public init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension MarbleDiagram: CustomStringConvertible {
    /// The diagram as it was written.
    public var description: String { text }
}

/// Reads the characters of a diagram.
private struct MarbleParser {
    let text: String
    let characters: [Character]
    private(set) var moments: [MarbleDiagram.Moment] = []
    private(set) var column = 0
    private var position = 0
    // Where the group that is being read starts.
    private var group: Int?
    private var isEnded = false

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    mutating func parse() throws(MarbleError) {
        while position < characters.count {
            let character = characters[position]
            switch character {
            case _ where character.isWhitespace: break
            case "-":
                if group != nil { throw failure("time cannot pass within a group") }
                column += 1
            case "(":
                if group != nil { throw failure("groups cannot be nested") }
                group = moments.count
            case ")":
                guard let first = group else { throw failure("there is no group to close") }
                if first == moments.count { throw failure("a group needs a signal") }
                group = nil
                column += 1
            case "{": try readTime()
            case "}": throw failure("there is no time to close")
            case "^": try add(.watermark)
            case "|": try add(.end)
            case "#": try add(.failure)
            case "!": try add(.interruption)
            default: try add(.element(character))
            }
            position += 1
        }
        if group != nil { throw failure("the group is not closed") }
    }

    private mutating func add(_ mark: MarbleDiagram.Mark) throws(MarbleError) {
        if isEnded { throw failure("nothing may follow the end") }
        isEnded = mark == .end || mark == .failure
        moments.append(MarbleDiagram.Moment(mark: mark, column: column, timeColumn: column))
        if group == nil { column += 1 }
    }

    /// Reads `{5}`, `{5-1}` or `{5+1}`, the time of the signal before it.
    private mutating func readTime() throws(MarbleError) {
        guard position > 0, let last = moments.last, !isEnded, !"-() ".contains(characters[position - 1]) else {
            throw failure("a time must follow an element or a watermark")
        }
        guard let end = characters[position...].firstIndex(of: "}") else { throw failure("the time is not closed") }
        let inside = characters[(position + 1)..<end]
        // The sign of the column itself is not one between the two numbers.
        let sign = inside.dropFirst().firstIndex { $0 == "-" || $0 == "+" } ?? inside.endIndex
        let nanoseconds = sign == inside.endIndex ? 0 : Int64(String(inside[sign...]))
        guard let timeColumn = Int(String(inside[..<sign])), let nanoseconds else {
            throw failure("a time is a column, and nanoseconds before or after it, as in {5-1}")
        }
        var moment = last
        moment.timeColumn = timeColumn
        moment.nanoseconds = nanoseconds
        moments[moments.count - 1] = moment
        position = end
    }

    private func failure(_ reason: String) -> MarbleError {
        .invalidDiagram(text, position: min(position, characters.count), reason: reason)
    }
}
