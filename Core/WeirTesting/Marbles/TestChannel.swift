public import WeirCore

/// Where a test puts signals into a stream, of any type, drawn as marble diagrams or one by one.
///
///     import Testing
///
///     let keys = TestChannel<String>()
///     let recorder = Recorder(keys.debounce(for: .seconds(2)))
///     keys.play("ab---c---^|")
///     #expect(recorder.difference(from: "---b---c|") == nil)
///
/// Everything runs before a call returns: time passes only in the diagrams.
///
/// Thread safety: any thread.
public final class TestChannel<Element: Sendable>: GroupableStream {
    /// The times of the columns of diagrams.
    public let scale: MarbleScale

    private let sinks: Multicast<Element>

    /// Creates a channel.
    ///
    /// - Parameter scale: The times of the columns of diagrams.
    public init(scale: MarbleScale = MarbleScale()) {
        self.scale = scale
        sinks = Multicast()
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        sinks.attach(sink)
    }

    /// Sends one signal; nothing follows a completion.
    ///
    /// - Parameter signal: The signal.
    public func send(_ signal: StreamSignal<Element>) {
        switch signal {
        case .element(let element, let time): sinks.send(element, at: time)
        case .watermark(let time): sinks.advance(to: time)
        case .completion(let completion): sinks.finish(completion)
        }
    }

    /// Sends an element with the time of a column.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - column: The column, from 0.
    public func send(_ element: Element, atColumn column: Int) {
        send(.element(element, scale.time(of: column)))
    }

    /// Plays a diagram from its start to its end.
    ///
    /// - Parameters:
    ///   - diagram: The signals.
    ///   - values: The elements by their characters; a diagram that names others traps.
    ///   - failure: The error of a failure.
    ///   - clock: Moved to the time of each column, if it has not passed that, before the column's signals.
    public func play(
        _ diagram: MarbleDiagram,
        _ values: [Character: Element],
        failure: any Error = MarbleFailure(),
        moving clock: VirtualClock? = nil
    ) {
        MarbleLine.play(line(diagram, values, failure: failure), moving: clock)
    }

    /// A diagram to play together with those of other channels.
    ///
    /// - Parameters:
    ///   - diagram: The signals.
    ///   - values: The elements by their characters; a diagram that names others traps.
    ///   - failure: The error of a failure.
    /// - Returns: The line for ``MarbleLine/play(_:moving:)``.
    public func line(
        _ diagram: MarbleDiagram,
        _ values: [Character: Element],
        failure: any Error = MarbleFailure()
    ) -> MarbleLine {
        do {
            let signals = try diagram.signals(values, scale: scale, failure: failure)
            let steps = zip(diagram.moments, signals).map { moment, signal in
                MarbleLine.Step(column: moment.column) { [self] in send(signal) }
            }
            return MarbleLine(scale: scale, columnCount: diagram.columnCount, steps: steps)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension TestChannel where Element == String {
    /// Plays a diagram whose characters are the elements.
    ///
    /// - Parameters:
    ///   - diagram: The signals.
    ///   - clock: Moved to the time of each column, if it has not passed that, before the column's signals.
    public func play(_ diagram: MarbleDiagram, moving clock: VirtualClock? = nil) {
        play(diagram, diagram.names, moving: clock)
    }

    /// A diagram, whose characters are the elements, to play together with those of other channels.
    ///
    /// - Parameter diagram: The signals.
    /// - Returns: The line for ``MarbleLine/play(_:moving:)``.
    public func line(_ diagram: MarbleDiagram) -> MarbleLine {
        line(diagram, diagram.names)
    }
}
