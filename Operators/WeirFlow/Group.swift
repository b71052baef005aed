public import WeirCore

/// The elements of one key, to build the pipeline of a group on.
///
/// It represents every group: the sink that is attached to it is the template that each group gets a copy of.
public final class Group<Element: Sendable>: GroupableStream {
    private let makeBank = Locked<(@Sendable () -> SinkBank<Element>)?>(nil)

    @usableFromInline
    init() {}

    /// Sets the template of the group's sink.
    ///
    /// - Parameter sink: Copied for each group.
    /// - Returns: A handle without effect: a group lives as long as the stream.
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let prototype = sink
        setPrototype { SinkBank(prototype) }
        return Subscription()
    }

    @usableFromInline
    func setPrototype(_ make: @escaping @Sendable () -> SinkBank<Element>) {
        makeBank.withLock { current in
            precondition(
                current == nil,
                "a group's pipeline must use the group once, for each group gets one copy of it"
            )
            current = make
        }
    }

    @usableFromInline
    func makeSinks() -> SinkBank<Element> {
        guard let make = makeBank.withLock({ $0 }) else {
            preconditionFailure("a group's pipeline must start at the group that it was given")
        }
        return make()
    }
}
