import WeirCore

/// How a recorded stream differs from a marble diagram.
///
/// Its description draws both and names the first difference:
///
/// ```text
/// signal 1: expected b at column 3, but got c at column 3
///   expected  a--b-|
///   recorded  a--c-|
/// ```
public struct MarbleDifference: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The expected stream as a diagram.
    public let expected: String

    /// The recorded stream as a diagram.
    public let recorded: String

    /// The first difference.
    public let summary: String

    /// Both diagrams, and the first difference.
    public var description: String { "\(summary)\n  expected  \(expected)\n  recorded  \(recorded)" }

    /// The same, for the messages of test libraries.
    public var debugDescription: String { description }
}

extension Recorder {
    /// Compares recorded signals with a diagram.
    ///
    ///     import Testing
    ///
    ///     let pairs = Recorder<(Int, String)>()
    ///     #expect(pairs.difference(from: "a--b-|", ["a": (1, "x"), "b": (2, "y")], by: ==) == nil)
    ///
    /// Elements are compared with their times, failures by their description; the column of the end is ignored.
    ///
    /// - Parameters:
    ///   - diagram: The expected signals.
    ///   - values: The elements by their characters; a diagram that names others traps.
    ///   - scale: The times of the columns.
    ///   - failure: The error of a failure.
    ///   - includesWatermarks: Whether watermarks are compared; by default if the diagram has any.
    ///   - areEqual: Whether two elements are equal; `==` does for tuples.
    /// - Returns: The difference; `nil` where there is none.
    public func difference(
        from diagram: MarbleDiagram,
        _ values: [Character: Element],
        scale: MarbleScale = MarbleScale(),
        failure: any Error = MarbleFailure(),
        includingWatermarks includesWatermarks: Bool? = nil,
        by areEqual: (Element, Element) -> Bool
    ) -> MarbleDifference? {
        let expected: [StreamSignal<Element>]
        do {
            expected = try diagram.signals(values, scale: scale, failure: failure)
        } catch {
            preconditionFailure("\(error)")
        }
        let recorded =
            includesWatermarks ?? diagram.hasWatermarks
            ? signals
            : signals.filter { if case .watermark = $0 { false } else { true } }
        guard !expected.elementsEqual(recorded, by: { $0.isEqual(to: $1, by: areEqual) }) else { return nil }
        let first = zip(expected, recorded).enumerated().first { !$0.element.0.isEqual(to: $0.element.1, by: areEqual) }
        let index = first?.offset ?? min(expected.count, recorded.count)
        let expectedSignal = index < expected.count ? expected[index] : nil
        let recordedSignal = index < recorded.count ? recorded[index] : nil
        return withoutActuallyEscaping(areEqual) { areEqual in
            let drawing = MarbleDrawing(values: values, scale: scale, areEqual: areEqual)
            let (wanted, found) = (drawing.words(expectedSignal), drawing.words(recordedSignal))
            return MarbleDifference(
                expected: drawing.draw(expected),
                recorded: drawing.draw(recorded),
                summary: "signal \(index): expected \(wanted), but got \(found)"
            )
        }
    }
}

extension Recorder where Element: Equatable {
    /// Compares recorded signals with a diagram.
    ///
    ///     import Testing
    ///
    ///     #expect(recorder.difference(from: "a--b-|", ["a": 1, "b": 2]) == nil)
    ///
    /// Elements are compared with their times, failures by their description; the column of the end is ignored.
    ///
    /// - Parameters:
    ///   - diagram: The expected signals.
    ///   - values: The elements by their characters; a diagram that names others traps.
    ///   - scale: The times of the columns.
    ///   - failure: The error of a failure.
    ///   - includesWatermarks: Whether watermarks are compared; by default if the diagram has any.
    /// - Returns: The difference; `nil` where there is none.
    public func difference(
        from diagram: MarbleDiagram,
        _ values: [Character: Element],
        scale: MarbleScale = MarbleScale(),
        failure: any Error = MarbleFailure(),
        includingWatermarks includesWatermarks: Bool? = nil
    ) -> MarbleDifference? {
        difference(
            from: diagram,
            values,
            scale: scale,
            failure: failure,
            includingWatermarks: includesWatermarks,
            by: ==
        )
    }
}

extension Recorder where Element == String {
    /// Compares recorded signals with a diagram whose characters are the elements.
    ///
    /// - Parameters:
    ///   - diagram: The expected signals.
    ///   - scale: The times of the columns.
    ///   - includesWatermarks: Whether watermarks are compared; by default if the diagram has any.
    /// - Returns: The difference; `nil` where there is none.
    public func difference(
        from diagram: MarbleDiagram,
        scale: MarbleScale = MarbleScale(),
        includingWatermarks includesWatermarks: Bool? = nil
    ) -> MarbleDifference? {
        var values = diagram.names
        for element in elements where element.count == 1 {
            if let name = element.first { values[name] = element }
        }
        return difference(from: diagram, values, scale: scale, includingWatermarks: includesWatermarks)
    }
}

extension MarbleDiagram {
    /// The characters of the elements, as texts.
    var names: [Character: String] {
        var names: [Character: String] = [:]
        for moment in moments {
            if case .element(let name) = moment.mark { names[name] = String(name) }
        }
        return names
    }
}
