public import WeirCore

/// A stream without elements that finishes while a sink is being attached.
///
///     EmptyStream<Reading>()
///
/// Emits no element and no watermark. Remembers nothing.
///
/// - Complexity: O(1).
@frozen
public struct EmptyStream<Element: Sendable>: EventStream {
    /// Creates the stream.
    @inlinable
    public init() {}

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        sink.finish(.finished)
        return Subscription()
    }
}

/// A stream that emits nothing and never ends; it releases its sinks at once.
///
///     SilentStream<Reading>()
///
/// Emits no element, no watermark and no completion. Remembers nothing.
///
/// - Complexity: O(1).
@frozen
public struct SilentStream<Element: Sendable>: EventStream {
    /// Creates the stream.
    @inlinable
    public init() {}

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        Subscription()
    }
}

/// A stream without elements that fails while a sink is being attached.
///
///     FailedStream<Reading>(SensorError.unplugged)
///
/// Emits no element and no watermark. Remembers the error.
///
/// - Complexity: O(1).
@frozen
public struct FailedStream<Element: Sendable>: EventStream {
    @usableFromInline let error: any Error

    /// Creates the stream.
    ///
    /// - Parameter error: Why it fails.
    @inlinable
    public init(_ error: any Error) {
        self.error = error
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        sink.finish(.failed(error))
        return Subscription()
    }
}

/// A stream that is made anew for each sink.
///
///     Deferred { Values(of: readLines()) }
///
/// Emits the elements of the created stream, with its times, watermarks and completion. Remembers nothing.
///
/// - Complexity: That of the made stream.
@frozen
public struct Deferred<Made: EventStream>: EventStream {
    public typealias Element = Made.Element

    @usableFromInline let make: @Sendable () -> Made

    /// Creates the stream.
    ///
    /// - Parameter make: Called once for each sink, on the thread that attaches it.
    @inlinable
    public init(_ make: @escaping @Sendable () -> Made) {
        self.make = make
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        make().attach(sink)
    }
}
