// What a misspelt operator is, so that the compiler still knows the stream behind it: without that it checks the closures
// of the rest of the chain without the types of their parameters, which takes seconds, and says nothing of the name.

/// The names that a stream has as dynamic members: none.
///
/// The compiler says of an operator that does not exist that the stream "has no dynamic member" of that name.
public enum StreamOperators {}

extension EventStream {
    /// Stands for an operator that does not exist, so that the compiler names it and knows what comes after it.
    ///
    /// - Parameter name: Does not exist, as there are no properties of `StreamOperators`.
    @available(*, unavailable, message: "there is no operator of this name")
    public subscript<Value>(dynamicMember name: KeyPath<StreamOperators, Value>) -> UnknownOperator<Self> {
        preconditionFailure("unavailable")
    }
}

/// An operator that does not exist: what the compiler takes a misspelt name for.
public enum UnknownOperator<Upstream: EventStream> {
    /// Stands for a misspelt `filter` and its like.
    @discardableResult
    public func callAsFunction(
        @ConditionBuilder _ condition: @escaping @Sendable (Upstream.Element) -> Bool
    ) -> Upstream {
        switch self {}
    }

    /// Stands for a misspelt `map` and its like.
    public func callAsFunction<Output: Sendable>(
        _ transform: @escaping @Sendable (Upstream.Element) -> Output
    ) -> UnknownStream<Output> {
        switch self {}
    }

    /// Stands for a misspelt `take` and its like.
    @discardableResult
    public func callAsFunction(_ arguments: Any...) -> Upstream {
        switch self {}
    }
}

/// What an operator that does not exist makes of a stream.
public enum UnknownStream<Element: Sendable>: GroupableStream {
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        switch self {}
    }
}
