public import WeirCore

/// A table of rows by key that streams write, and that rules, other streams and the program look up.
///
///     let limits = StreamTable<String, Double>(limit: 10_000)
///     let settings = EventChannel<(station: String, celsius: Double?)>()
///     settings.writing(to: limits, by: { $0.station }, row: { $0.celsius }).subscribe { _ in }
///     let tooHigh = readings.enrich(with: limits, by: \.station).filter { $0.celsius > $1 ?? .infinity }
///     let north = limits["north"]
///
/// What is looked up is the row at that moment, in the order in which elements arrive, not in event time; for the row of an
/// element's own time join the streams with `enrich(with:by:)` of a stream.
///
/// Thread safety: all members, from any thread; each takes a lock for one hash look-up.
public final class StreamTable<Key: Hashable & Sendable, Row: Sendable>: Sendable {
    private struct Kept: Sendable {
        var row: Row
        var number: UInt64
    }

    private struct Rows: Sendable {
        var kept: [Key: Kept] = [:]
        // When rows were written last; those that were written again since are found by their number.
        var order = ArraySlice<(key: Key, number: UInt64)>()
        var number: UInt64 = 0

        mutating func write(_ row: Row, _ key: Key) {
            number += 1
            kept[key] = Kept(row: row, number: number)
            order.append((key, number))
            if order.count > 2 * kept.count + 64 { order = order.filter { kept[$0.key]?.number == $0.number }[...] }
        }

        mutating func removeOldest() -> (key: Key, row: Row)? {
            while let (key, number) = order.popFirst() {
                guard let oldest = kept[key], oldest.number == number else { continue }
                kept[key] = nil
                return (key, oldest.row)
            }
            return nil
        }
    }

    /// How many rows there can be.
    public let limit: Int

    /// What happens to a row of a new key when the table is full.
    public let policy: LimitPolicy

    /// The rows that the table had no room for, or gave up, each with the time of the element that was the reason.
    public let refused = SideOutput<(key: Key, row: Row)>()

    private let rows = Locked(Rows())

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - limit: How many rows there can be; positive.
    ///   - policy: What happens to a row of a new key when there are that many: with `dropNewest` it goes to ``refused``,
    ///     with `dropOldest` the row that was written longest ago; `fail` is as `dropNewest`.
    public init(limit: Int = 1 << 20, policy: LimitPolicy = .dropNewest) {
        precondition(limit > 0, "a table needs room for a row, not for \(limit)")
        self.limit = limit
        self.policy = policy
    }

    /// The row of a key; `nil` if there is none.
    ///
    /// Setting it writes or removes the row, as a stream would.
    public subscript(key: Key) -> Row? {
        get { rows.withLock { $0.kept[key]?.row } }
        set {
            if let newValue {
                write(newValue, for: key, at: .distantPast)
            } else {
                remove(key)
            }
        }
    }

    /// How many rows there are.
    public var count: Int { rows.withLock { $0.kept.count } }

    /// All rows, as they are at one moment.
    ///
    /// - Complexity: O(rows), with the lock.
    public var snapshot: [Key: Row] { rows.withLock { $0.kept.mapValues(\.row) } }

    /// Removes a row.
    ///
    /// - Parameter key: Its key.
    /// - Returns: The row; `nil` if there was none.
    @discardableResult
    public func remove(_ key: Key) -> Row? { rows.withLock { $0.kept.removeValue(forKey: key)?.row } }

    /// Writes a row, in place of one with the same key.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - key: Its key; one that does not equal itself, like NaN, is refused.
    ///   - time: The event time, for ``refused``.
    public func write(_ row: Row, for key: Key, at time: Timestamp) {
        let withoutRoom: (key: Key, row: Row)? = rows.withLock { rows in
            guard key == key else { return (key, row) }
            var oldest: (key: Key, row: Row)?
            if rows.kept.count >= limit, rows.kept[key] == nil {
                guard policy == .dropOldest else { return (key, row) }
                oldest = rows.removeOldest()
            }
            rows.write(row, key)
            return oldest
        }
        if let withoutRoom { refused.send(withoutRoom, at: time) }
    }

    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchangeOnce(self) { state throws(StateError) in
            try state.exchange(refused)
            // In the order of writing, which the policy needs, and which no hash seed changes.
            let kept = rows.withLock { rows in
                rows.kept.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value.row) }
            }
            var (keys, values) = (kept.map { $0.0 }, kept.map { $0.1 })
            try state.exchange(&keys)
            try state.exchange(&values)
            guard state.isRestoring else { return }
            rows.withLock { $0 = Rows() }
            // A table may have less room than that which was saved.
            for (key, row) in zip(keys, values) { write(row, for: key, at: .distantPast) }
        }
    }
}

extension EventStream {
    /// Writes each element into a table, and passes it on.
    ///
    ///     let latest = StreamTable<String, Reading>()
    ///     let written = readings.writing(to: latest, by: { $0.station }, row: { $0 })
    ///
    /// Watermarks and the completion pass. A checkpoint of the stream contains the table.
    ///
    /// - Parameters:
    ///   - table: The table; several streams may write to it, and remove rows.
    ///   - key: The key of an element.
    ///   - row: The row of an element; `nil` removes the row of the key.
    /// - Returns: The elements.
    /// - Complexity: One hash look-up per element, with the lock of the table.
    public func writing<Key: Hashable & Sendable, Row: Sendable>(
        to table: StreamTable<Key, Row>,
        by key: @escaping @Sendable (Element) -> Key,
        row: @escaping @Sendable (Element) -> Row?
    ) -> Writing<Self, Key, Row> {
        Writing(self, table, key, row)
    }

    /// Pairs each element with the row that a table has for it when it arrives.
    ///
    ///     let limits = StreamTable<String, Double>()
    ///     let limited = readings.enrich(with: limits, by: \.station)
    ///
    /// Emits each element with its time, and with the row of its key, if there is one. Remembers nothing. Watermarks and the
    /// completion pass.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - key: The key of an element.
    /// - Returns: The elements, each with its row.
    /// - Complexity: One hash look-up per element, with the lock of the table.
    public func enrich<Key: Hashable & Sendable, Row: Sendable>(
        with table: StreamTable<Key, Row>,
        by key: @escaping @Sendable (Element) -> Key
    ) -> EnrichedFromStreamTable<Self, Key, Row> {
        EnrichedFromStreamTable(self, table, key)
    }
}

/// A stream that writes a table; made by `writing(to:by:row:)`.
public struct Writing<Upstream: EventStream, Key: Hashable & Sendable, Row: Sendable>: EventStream {
    public typealias Element = Upstream.Element

    private let upstream: Upstream
    private let table: StreamTable<Key, Row>
    private let key: @Sendable (Element) -> Key
    private let row: @Sendable (Element) -> Row?

    init(
        _ upstream: Upstream,
        _ table: StreamTable<Key, Row>,
        _ key: @escaping @Sendable (Element) -> Key,
        _ row: @escaping @Sendable (Element) -> Row?
    ) {
        self.upstream = upstream
        self.table = table
        self.key = key
        self.row = row
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(WritingSink(table, key, row, sink))
    }
}

/// Writes elements into a table.
private struct WritingSink<Key: Hashable & Sendable, Row: Sendable, Downstream: Sink>: Sink {
    typealias Input = Downstream.Input

    let table: StreamTable<Key, Row>
    let key: @Sendable (Input) -> Key
    let row: @Sendable (Input) -> Row?
    var downstream: Downstream

    init(
        _ table: StreamTable<Key, Row>,
        _ key: @escaping @Sendable (Input) -> Key,
        _ row: @escaping @Sendable (Input) -> Row?,
        _ downstream: consuming Downstream
    ) {
        self.table = table
        self.key = key
        self.row = row
        self.downstream = downstream
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let written = copy element
        if let row = row(written) {
            table.write(row, for: key(written), at: time)
        } else {
            table.remove(key(written))
        }
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("writing")
        try table.exchangeState(&state)
        try downstream.exchangeState(&state)
    }
}

/// The elements of a stream, each with its row of a table that streams write; made by `enrich(with:by:)`.
public struct EnrichedFromStreamTable<Upstream: EventStream, Key: Hashable & Sendable, Row: Sendable>: EventStream {
    public typealias Element = (Upstream.Element, Row?)

    private let upstream: Upstream
    private let table: StreamTable<Key, Row>
    private let key: @Sendable (Upstream.Element) -> Key

    init(_ upstream: Upstream, _ table: StreamTable<Key, Row>, _ key: @escaping @Sendable (Upstream.Element) -> Key) {
        self.upstream = upstream
        self.table = table
        self.key = key
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(LookingUpSink(table, key, sink))
    }
}

extension EnrichedFromStreamTable: GroupableStream where Upstream: GroupableStream {}

/// Looks the row of each element up.
private struct LookingUpSink<Input: Sendable, Key: Hashable & Sendable, Row: Sendable, Downstream: Sink>: Sink
where Downstream.Input == (Input, Row?) {
    let table: StreamTable<Key, Row>
    let key: @Sendable (Input) -> Key
    var downstream: Downstream

    init(
        _ table: StreamTable<Key, Row>,
        _ key: @escaping @Sendable (Input) -> Key,
        _ downstream: consuming Downstream
    ) {
        self.table = table
        self.key = key
        self.downstream = downstream
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        downstream.receive((element, table[key(element)]), at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
