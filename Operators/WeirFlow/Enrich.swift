public import WeirCore

extension EventStream {
    /// Pairs each element with its row of a table that another stream updates.
    ///
    ///     orders.enrich(with: customers, limit: 100_000, by: \.customer, and: \.id)
    ///
    /// Emits each element of this stream when it arrives, with its time, and with the element of the other stream that
    /// arrived last with the same key, if there is one. Remembers one element of the other stream for each key, at most
    /// `limit`; those of further keys go to ``Enrich/refused``. Watermarks pass: those of this stream; the other's hold
    /// nothing back. Finishes with this stream; ends when one fails or is interrupted.
    ///
    /// - Parameters:
    ///   - table: The rows of the table, as they change; may run on another thread.
    ///   - limit: How many rows to remember; positive.
    ///   - key: The key of an element.
    ///   - rowKey: The key of a row.
    /// - Returns: The elements, each with its row.
    /// - Complexity: One hash look-up per element, without allocation once the memory has grown.
    @inlinable
    public func enrich<Table: EventStream, Key: Hashable & Sendable>(
        with table: Table,
        limit: Int = 1 << 20,
        by key: @escaping @Sendable (Element) -> Key,
        and rowKey: @escaping @Sendable (Table.Element) -> Key
    ) -> Enrich<Self, Table, Key> {
        precondition(limit > 0, "enrich: limit must be positive, but is \(limit)")
        return Enrich(self, table, limit, key, rowKey)
    }
}

/// The elements of a stream, each with its row of a table; made by `enrich`.
@frozen
public struct Enrich<First: EventStream, Second: EventStream, Key: Hashable & Sendable>: EventStream {
    public typealias Element = (First.Element, Second.Element?)

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let limit: Int
    @usableFromInline let firstKey: @Sendable (First.Element) -> Key
    @usableFromInline let secondKey: @Sendable (Second.Element) -> Key

    /// The rows that found no room in the table.
    public let refused: SideOutput<Second.Element>

    @inlinable
    init(
        _ first: First,
        _ second: Second,
        _ limit: Int,
        _ firstKey: @escaping @Sendable (First.Element) -> Key,
        _ secondKey: @escaping @Sendable (Second.Element) -> Key
    ) {
        self.first = first
        self.second = second
        self.limit = limit
        self.firstKey = firstKey
        self.secondKey = secondKey
        refused = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let state = EnrichState(limit, firstKey, secondKey, refused, sink)
        let junction = Junction(state, inputs: 2)
        // The table first, so that rows that it emits when attached are there.
        let table = second.attach(junction.input(1, RightPort()))
        return junction.subscription(table, first.attach(junction.input(0, LeftPort())))
    }
}

/// Remembers the rows of a table.
@frozen
@usableFromInline
struct EnrichState<Left: Sendable, Row: Sendable, Key: Hashable & Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == (Left, Row?) {
    @usableFromInline let limit: Int
    @usableFromInline let key: @Sendable (Left) -> Key
    @usableFromInline let rowKey: @Sendable (Row) -> Key
    @usableFromInline let refused: SideOutput<Row>
    @usableFromInline var rows: [Key: Row] = [:]
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ limit: Int,
        _ key: @escaping @Sendable (Left) -> Key,
        _ rowKey: @escaping @Sendable (Row) -> Key,
        _ refused: SideOutput<Row>,
        _ downstream: consuming Downstream
    ) {
        self.limit = limit
        self.key = key
        self.rowKey = rowKey
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Left, Row>, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element):
            downstream.receive((element, rows[key(element)]), at: time)
        case .second(let row):
            let key = rowKey(row)
            // A key that does not equal itself, like NaN, could be neither looked up nor replaced.
            if (rows.count < limit && key == key) || rows[key] != nil {
                rows[key] = row
            } else {
                refused.send(row, at: time)
            }
        }
    }

    @inlinable
    mutating func advance(_ input: Int, to watermark: Timestamp) {
        if input == 0 { downstream.advance(to: watermark) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { input == 0 }

    @inlinable
    mutating func finish(_ completion: Completion) {
        rows = [:]
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("enrich")
        try state.exchange(refused)
        try state.exchange(&rows)
        try downstream.exchangeState(&state)
    }
}
