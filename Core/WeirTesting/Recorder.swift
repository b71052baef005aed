public import WeirCore

/// One signal of a stream.
public enum StreamSignal<Element: Sendable>: Sendable {
    /// An element and its event time.
    case element(Element, Timestamp)
    /// A watermark.
    case watermark(Timestamp)
    /// The end.
    case completion(Completion)
}

extension StreamSignal {
    /// Whether two signals are the same.
    ///
    ///     let pair = StreamSignal.element((1, "x"), .epoch)
    ///     pair.isEqual(to: .element((1, "x"), .epoch), by: ==)  // true
    ///
    /// Failures are compared by their description.
    ///
    /// - Parameters:
    ///   - other: The other signal.
    ///   - areEqual: Whether two elements are; `==` does for tuples.
    /// - Returns: Whether they are the same signal, with the same time.
    public func isEqual(to other: StreamSignal, by areEqual: (Element, Element) -> Bool) -> Bool {
        switch (self, other) {
        case (.element(let left, let leftTime), .element(let right, let rightTime)):
            areEqual(left, right) && leftTime == rightTime
        case (.watermark(let left), .watermark(let right)):
            left == right
        case (.completion(.finished), .completion(.finished)), (.completion(.interrupted), .completion(.interrupted)):
            true
        case (.completion(.failed(let left)), .completion(.failed(let right))):
            "\(left)" == "\(right)"
        default:
            false
        }
    }
}

extension StreamSignal: Equatable where Element: Equatable {
    /// Failures are compared by their description.
    public static func == (left: StreamSignal, right: StreamSignal) -> Bool {
        left.isEqual(to: right, by: ==)
    }
}

/// Remembers the signals of a stream, for tests.
///
///     let recorder = Recorder(readings.filter { $0.celsius > 30 })
///     channel.publish(reading)
///     recorder.elements
///
/// Thread safety: any thread.
public final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Locked<[StreamSignal<Element>]>([])

    /// Creates a recorder that is not attached; attach its ``sink``.
    public init() {}

    /// Creates a recorder and attaches it to a stream.
    ///
    /// - Parameter stream: The stream to record.
    public convenience init(_ stream: some EventStream<Element>) {
        self.init()
        stream.attach(sink)
    }

    /// A sink that records its signals.
    public var sink: RecorderSink<Element> { RecorderSink(self) }

    /// Everything that was received, in order.
    public var signals: [StreamSignal<Element>] { recorded.withLock { $0 } }

    /// The elements that were received, in order.
    public var elements: [Element] {
        signals.compactMap { signal in
            guard case .element(let element, _) = signal else { return nil }
            return element
        }
    }

    /// The event times of the elements, in order.
    public var times: [Timestamp] {
        signals.compactMap { signal in
            guard case .element(_, let time) = signal else { return nil }
            return time
        }
    }

    /// Whether the stream has ended.
    public var isFinished: Bool {
        if case .completion? = signals.last { true } else { false }
    }

    func record(_ signal: StreamSignal<Element>) {
        recorded.withLock { signals in
            if case .completion? = signals.last {
                preconditionFailure("a stream sent \(signal) after its completion")
            }
            signals.append(signal)
        }
    }
}

/// Passes signals to a ``Recorder``; traps when a stream sends after its completion.
public struct RecorderSink<Input: Sendable>: Sink {
    private let recorder: Recorder<Input>

    init(_ recorder: Recorder<Input>) {
        self.recorder = recorder
    }

    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        recorder.record(.element(copy element, time))
    }

    public mutating func advance(to watermark: Timestamp) {
        recorder.record(.watermark(watermark))
    }

    public mutating func finish(_ completion: Completion) {
        recorder.record(.completion(completion))
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
