public import WeirCore

// What ``Flow`` has as static members, to be written behind a source or a flow.

extension Source {
    /// Turns each element into another value; see `Flow/map(supervision:_:)`.
    @inlinable
    public func map<Next, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Element) throws(Failure) -> Next
    ) -> Source<Next, Handle> {
        via(Flow<Element, Next, Void>.map(supervision: supervision, transform))
    }

    /// Turns each element into another value, or leaves it out; see `Flow/compactMap(supervision:_:)`.
    @inlinable
    public func compactMap<Next, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Element) throws(Failure) -> Next?
    ) -> Source<Next, Handle> {
        via(Flow<Element, Next, Void>.compactMap(supervision: supervision, transform))
    }

    /// Turns each element into any number of others; see `Flow/flatMap(supervision:_:)`.
    @inlinable
    public func flatMap<Elements: Sequence, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Element) throws(Failure) -> Elements
    ) -> Source<Elements.Element, Handle> where Elements.Iterator: SendableMetatype {
        via(Flow<Element, Elements.Element, Void>.flatMap(supervision: supervision, transform))
    }

    /// Folds the elements into a running value; see `Flow/scan(into:supervision:_:)`.
    @inlinable
    public func scan<Next, Failure: Error>(
        into initial: Next,
        supervision: Supervision = .stop,
        _ update: @escaping @Sendable (inout Next, Element) throws(Failure) -> Void
    ) -> Source<Next, Handle> {
        via(Flow<Element, Next, Void>.scan(into: initial, supervision: supervision, update))
    }

    /// Emits the elements that satisfy a condition; see `Flow/filter(supervision:_:)`.
    @inlinable
    public func filter<Failure: Error>(
        supervision: Supervision = .stop,
        _ condition: @escaping @Sendable (Element) throws(Failure) -> Bool
    ) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.filter(supervision: supervision, condition))
    }

    /// Forwards the first elements and then ends; see `Flow/take(_:)`.
    @inlinable
    public func take(_ limit: Int) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.take(limit))
    }

    /// Puts an element in place of a failure; see `Flow/recover(_:)`.
    @inlinable
    public func recover(_ replacement: @escaping @Sendable (any Error) -> Element?) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.recover(replacement))
    }

    /// Starts another island; see `Flow/async(capacity:)`.
    @inlinable
    public func async(capacity: Int = 1024) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.async(capacity: capacity))
    }

    /// Buffers elements ahead of demand; see ``Flow/buffer(_:overflowPolicy:)``.
    @inlinable
    public func buffer(_ capacity: Int, overflowPolicy policy: BufferOverflow = .block) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.buffer(capacity, overflowPolicy: policy))
    }

    /// Merges elements that no demand waits for; see `Flow/conflate(_:)`.
    @inlinable
    public func conflate(_ merge: @escaping @Sendable (Element, Element) -> Element) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.conflate(merge))
    }

    /// Makes more of the last element while none comes; see `Flow/expand(_:)`.
    @inlinable
    public func expand<More: Sequence>(_ extrapolate: @escaping @Sendable (Element) -> More) -> Source<Element, Handle>
    where More.Element == Element, More.Iterator: SendableMetatype {
        via(Flow<Element, Element, Void>.expand(extrapolate))
    }

    /// Collects elements that no demand waits for; see `Flow/batch(limit:)`.
    @inlinable
    public func batch(limit: Int) -> Source<[Element], Handle> {
        via(Flow<Element, [Element], Void>.batch(limit: limit))
    }

    /// Limits the rate of elements; see `Flow/throttle(_:per:burst:)`.
    @inlinable
    public func throttle(_ count: Int, per interval: Duration, burst: Int? = nil) -> Source<Element, Handle> {
        via(Flow<Element, Element, Void>.throttle(count, per: interval, burst: burst))
    }

    /// Puts operators of streams behind; see `Flow/init(_:)`.
    @inlinable
    public func operators<Chain: EventStream>(
        _ build: @escaping @Sendable (ChainEntry<Element>) -> Chain
    ) -> Source<Chain.Element, Handle> {
        via(Flow<Element, Chain.Element, Void>(build))
    }
}

extension Flow {
    /// Turns each element into another value; see `Flow/map(supervision:_:)`.
    @inlinable
    public func map<Next, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> Next
    ) -> Flow<Input, Next, Handle> {
        via(Flow<Output, Next, Void>.map(supervision: supervision, transform))
    }

    /// Turns each element into another value, or leaves it out; see `Flow/compactMap(supervision:_:)`.
    @inlinable
    public func compactMap<Next, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> Next?
    ) -> Flow<Input, Next, Handle> {
        via(Flow<Output, Next, Void>.compactMap(supervision: supervision, transform))
    }

    /// Turns each element into any number of others; see `Flow/flatMap(supervision:_:)`.
    @inlinable
    public func flatMap<Elements: Sequence, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> Elements
    ) -> Flow<Input, Elements.Element, Handle> where Elements.Iterator: SendableMetatype {
        via(Flow<Output, Elements.Element, Void>.flatMap(supervision: supervision, transform))
    }

    /// Folds the elements into a running value; see `Flow/scan(into:supervision:_:)`.
    @inlinable
    public func scan<Next, Failure: Error>(
        into initial: Next,
        supervision: Supervision = .stop,
        _ update: @escaping @Sendable (inout Next, Output) throws(Failure) -> Void
    ) -> Flow<Input, Next, Handle> {
        via(Flow<Output, Next, Void>.scan(into: initial, supervision: supervision, update))
    }

    /// Emits the elements that satisfy a condition; see `Flow/filter(supervision:_:)`.
    @inlinable
    public func filter<Failure: Error>(
        supervision: Supervision = .stop,
        _ condition: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.filter(supervision: supervision, condition))
    }

    /// Forwards the first elements and then ends; see `Flow/take(_:)`.
    @inlinable
    public func take(_ limit: Int) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.take(limit))
    }

    /// Puts an element in place of a failure; see `Flow/recover(_:)`.
    @inlinable
    public func recover(_ replacement: @escaping @Sendable (any Error) -> Output?) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.recover(replacement))
    }

    /// Starts another island; see `Flow/async(capacity:)`.
    @inlinable
    public func async(capacity: Int = 1024) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.async(capacity: capacity))
    }

    /// Buffers elements ahead of demand; see ``Flow/buffer(_:overflowPolicy:)``.
    @inlinable
    public func buffer(_ capacity: Int, overflowPolicy policy: BufferOverflow = .block) -> Flow<
        Input, Output, Handle
    > {
        via(Flow<Output, Output, Void>.buffer(capacity, overflowPolicy: policy))
    }

    /// Merges elements that no demand waits for; see `Flow/conflate(_:)`.
    @inlinable
    public func conflate(_ merge: @escaping @Sendable (Output, Output) -> Output) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.conflate(merge))
    }

    /// Makes more of the last element while none comes; see `Flow/expand(_:)`.
    @inlinable
    public func expand<More: Sequence>(_ extrapolate: @escaping @Sendable (Output) -> More) -> Flow<
        Input, Output, Handle
    > where More.Element == Output, More.Iterator: SendableMetatype {
        via(Flow<Output, Output, Void>.expand(extrapolate))
    }

    /// Collects elements that no demand waits for; see `Flow/batch(limit:)`.
    @inlinable
    public func batch(limit: Int) -> Flow<Input, [Output], Handle> {
        via(Flow<Output, [Output], Void>.batch(limit: limit))
    }

    /// Limits the rate of elements; see `Flow/throttle(_:per:burst:)`.
    @inlinable
    public func throttle(_ count: Int, per interval: Duration, burst: Int? = nil) -> Flow<Input, Output, Handle> {
        via(Flow<Output, Output, Void>.throttle(count, per: interval, burst: burst))
    }

    /// Puts operators of streams behind; see `Flow/init(_:)`.
    @inlinable
    public func operators<Chain: EventStream>(
        _ build: @escaping @Sendable (ChainEntry<Output>) -> Chain
    ) -> Flow<Input, Chain.Element, Handle> {
        via(Flow<Output, Chain.Element, Void>(build))
    }
}
