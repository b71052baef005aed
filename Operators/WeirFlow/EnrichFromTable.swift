public import WeirCore

extension EventStream {
    /// Pairs each element with its row of a constant table.
    ///
    ///     orders.enrich(with: pricesByArticle, by: \.article)
    ///
    /// Emits each element when it arrives, with its time, and with the row that has its key, if there is one. Remembers
    /// the table. Watermarks and the completion pass.
    ///
    /// - Parameters:
    ///   - table: The rows by their keys.
    ///   - key: The key of an element.
    /// - Returns: The elements, each with its row.
    /// - Complexity: One hash look-up per element, without allocation.
    @inlinable
    public func enrich<Key: Hashable & Sendable, Row: Sendable>(
        with table: [Key: Row],
        by key: @escaping @Sendable (Element) -> Key
    ) -> EnrichFromTable<Self, Key, Row> {
        EnrichFromTable(self, table, key)
    }
}

/// The elements of a stream, each with its row of a table that never changes; made by `enrich(with:by:)`.
@frozen
public struct EnrichFromTable<Upstream: EventStream, Key: Hashable & Sendable, Row: Sendable>: EventStream {
    public typealias Element = (Upstream.Element, Row?)

    @usableFromInline let upstream: Upstream
    @usableFromInline let table: [Key: Row]
    @usableFromInline let key: @Sendable (Upstream.Element) -> Key

    @inlinable
    init(_ upstream: Upstream, _ table: [Key: Row], _ key: @escaping @Sendable (Upstream.Element) -> Key) {
        self.upstream = upstream
        self.table = table
        self.key = key
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(EnrichFromTableSink(table, key, sink))
    }
}

extension EnrichFromTable: GroupableStream where Upstream: GroupableStream {}

/// Looks the row of each element up.
@frozen
@usableFromInline
struct EnrichFromTableSink<Input: Sendable, Key: Hashable & Sendable, Row: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (Input, Row?) {
    @usableFromInline let table: [Key: Row]
    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ table: [Key: Row], _ key: @escaping @Sendable (Input) -> Key, _ downstream: consuming Downstream) {
        self.table = table
        self.key = key
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        downstream.receive((element, table[key(element)]), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
