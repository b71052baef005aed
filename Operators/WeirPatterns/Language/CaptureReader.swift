/// How a stage's capture is read, of a match and of a partial match.
@frozen
public struct CaptureReader<Element: Sendable, Capture: Sendable>: Sendable {
    @usableFromInline let ofMatch: @Sendable (borrowing FoundMatch<Element>) -> Capture
    @usableFromInline let ofCaptures: @Sendable (borrowing Captures<Element>) -> Capture

    @inlinable
    init(
        ofMatch: @escaping @Sendable (borrowing FoundMatch<Element>) -> Capture,
        ofCaptures: @escaping @Sendable (borrowing Captures<Element>) -> Capture
    ) {
        self.ofMatch = ofMatch
        self.ofCaptures = ofCaptures
    }
}

extension CaptureReader where Capture == Element {
    /// Reads the event of a stage that matches once.
    @inlinable
    static func single(_ capture: Int) -> CaptureReader {
        CaptureReader {
            for entry in $0.entries where entry.capture == capture { return entry.element }
            preconditionFailure("a match has no event for a stage that must have one")
        } ofCaptures: {
            guard let element = $0.last(capture) else {
                preconditionFailure("a condition looks at a stage that has captured nothing")
            }
            return element
        }
    }
}

extension CaptureReader where Capture == Element? {
    /// Reads the event of a stage that can be left out.
    @inlinable
    static func optional(_ capture: Int) -> CaptureReader {
        CaptureReader {
            for entry in $0.entries where entry.capture == capture { return entry.element }
            return nil
        } ofCaptures: {
            $0.last(capture)
        }
    }
}

extension CaptureReader where Capture == [Element] {
    /// Reads the events of a loop.
    @inlinable
    static func repeated(_ capture: Int) -> CaptureReader {
        CaptureReader {
            var elements: [Element] = []
            for entry in $0.entries where entry.capture == capture { elements.append(entry.element) }
            return elements
        } ofCaptures: {
            $0.all(capture)
        }
    }
}

extension CaptureReader where Capture == GroupCapture<Element> {
    /// Reads the events of a group of stages.
    @inlinable
    static func group(_ captures: Range<Int>, _ names: [String]) -> CaptureReader {
        CaptureReader { match in
            GroupCapture(match.entries.filter { captures.contains($0.capture) }.map { ($0.capture, $0.element) }, names)
        } ofCaptures: { partial in
            GroupCapture(
                captures.flatMap { capture in partial.all(capture).map { (capture, $0) } },
                names
            )
        }
    }
}

/// The events that a group of stages captured, by the stages' names.
public struct GroupCapture<Element: Sendable>: Sendable {
    private let entries: [(capture: Int, element: Element)]
    private let names: [String]

    @usableFromInline
    init(_ entries: [(Int, Element)], _ names: [String]) {
        self.entries = entries.map { (capture: $0.0, element: $0.1) }
        self.names = names
    }

    /// The events of all stages; of a match, in the order in which they came.
    public var events: [Element] { entries.map(\.element) }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter stage: The name of the stage.
    public subscript(stage: String) -> [Element] {
        guard let capture = names.firstIndex(of: stage) else { return [] }
        return entries.filter { $0.capture == capture }.map(\.element)
    }

    /// Whether there is no event.
    public var isEmpty: Bool { entries.isEmpty }
}
