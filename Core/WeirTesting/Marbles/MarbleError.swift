import WeirCore

/// Why a text is not a marble diagram, or not one of these values.
public enum MarbleError: Error, Sendable, Hashable {
    /// The text breaks a rule of ``MarbleDiagram`` at a position, counted in characters from 0.
    case invalidDiagram(String, position: Int, reason: String)
    /// The diagram names an element that no value was given for.
    case unknownElement(Character, diagram: String)
}

extension MarbleError: CustomStringConvertible {
    /// The problem and its place, in one line.
    public var description: String {
        switch self {
        case .invalidDiagram(let text, let position, let reason):
            "in '\(Excerpt.line(text))' at \(position): \(reason)"
        case .unknownElement(let name, let diagram):
            "in '\(Excerpt.line(diagram))': there is no value for '\(Excerpt.line(String(name)))'"
        }
    }
}
