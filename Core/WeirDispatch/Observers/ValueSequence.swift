/// The result of `values()`: an asynchronous sequence that detaches from its source as soon as an iteration ends.
///
/// The sequences of the standard library hold on to their source as long as they exist, also after `break`.
///
/// The elements are for one iteration; a second one finds the end.
public struct ValueSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
    public typealias Element = Base.Element
    public typealias Failure = Base.Failure

    private let base: Base
    private let end: @Sendable () -> Void

    /// Wraps a sequence.
    ///
    /// - Parameters:
    ///   - base: The sequence.
    ///   - end: Called when an iteration ends, perhaps more than once.
    package init(_ base: Base, end: @escaping @Sendable () -> Void) {
        self.base = base
        self.end = end
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), lifetime: Lifetime(end))
    }

    /// Ends the iteration when the last copy of its iterator goes.
    fileprivate final class Lifetime: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// Takes the elements one by one; letting go of it ends the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let lifetime: Lifetime

        fileprivate init(base: Base.AsyncIterator, lifetime: Lifetime) {
            self.base = base
            self.lifetime = lifetime
        }

        public mutating func next() async throws(Failure) -> Element? {
            try await base.next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            try await base.next(isolation: actor)
        }
    }
}
