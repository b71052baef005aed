public import WeirCore

/// A small number that stands for a text, given out by a ``SymbolTable``.
@frozen
public struct Symbol: Sendable, Hashable {
    // One word, not two numbers: a word that is read in one piece must have been written in one, or the processor waits.
    @usableFromInline let bits: UInt64

    /// How many texts had the same place in the table before, and were forgotten.
    @inlinable
    public var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    /// The place of the text in its table, 0 for the first text.
    ///
    /// No two texts of a table have the same at a time.
    @inlinable
    public var index: Int { Int(UInt32(truncatingIfNeeded: bits)) }

    @usableFromInline
    init(index: Int, generation: UInt32 = 0) {
        bits = UInt64(generation) << 32 | UInt64(UInt32(index))
    }

    /// The symbol of the first text of every table.
    public static var first: Symbol { Symbol(index: 0) }
}

/// Gives each different text a number, so that events can carry and compare the number instead of the text.
///
/// A table can forget texts that have not come for some event time, once it is full: then its limit is one of the texts at
/// a time, not of all that ever come. A text that comes again after it was forgotten gets a new symbol.
///
/// Thread safety: any thread; a lock guards the table.
public final class SymbolTable: Sendable {
    /// How many different texts the table takes at a time.
    public let limit: Int

    /// The index of every symbol is below it.
    ///
    /// A table that forgets has more places than ``limit``: a text that is idle keeps its place as long as its events are
    /// on their way to what calls ``advance(to:)``.
    public var capacity: Int { idle == nil ? limit : limit + Self.mostOnTheirWay }

    /// Eight batches of records.
    private static let mostOnTheirWay = 4_096

    private let idle: Int64?
    private let state = Locked(SymbolTableState())

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - idle: How long a text has not come when a full table may forget it, in event time; positive. It must be longer
    ///     than anything behind the table remembers an event of a text. Without it, no text is ever forgotten.
    ///   - limit: How many different texts it takes at a time; further ones are refused. Positive.
    public init(forgettingAfter idle: Duration? = nil, limit: Int = 1 << 20) {
        precondition(limit > 0, "a symbol table needs room for a text, not for \(limit)")
        self.limit = min(limit, Int(Int32.max) - Self.mostOnTheirWay)
        self.idle = idle.map { Nanoseconds.positive($0, "how long a text is idle before it is forgotten") }
    }

    /// The symbol of a text, made when the text is new.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - time: The time of the event that has the text; of no meaning to a table that does not forget.
    /// - Returns: `nil` when the text is new and the table is full, or when it is not valid UTF-8.
    /// - Complexity: O(*n*) on average for *n* bytes; allocates only for new texts.
    public func symbol(for text: Span<UInt8>, at time: Timestamp = .distantPast) -> Symbol? {
        let hash = unsafe text.withUnsafeBytes { unsafe SymbolTableState.hash($0) }
        return state.withLock { state -> Symbol? in
            if let index = state.index(of: text, hash) {
                if idle != nil { state.touch(index, time.nanosecondsSinceEpoch) }
                return state.symbol(index)
            }
            let time = time.nanosecondsSinceEpoch
            guard state.makeRoom(at: time, limit: limit, capacity: capacity, idle: idle) else { return nil }
            let name = unsafe text.withUnsafeBufferPointer { bytes in
                unsafe String(validating: bytes, as: UTF8.self)
            }
            guard let name else { return nil }
            let index = state.add(name, hash, at: time, idle: idle)
            if idle != nil { state.link(index, time) }
            return state.symbol(index)
        }
    }

    /// Notes that the events behind the table have been dealt with up to a time: what has been idle for long enough then
    /// can be forgotten.
    ///
    /// Call it for each event, after everything that remembers it. Texts that have come since the last call are not
    /// forgotten, whatever their times, for their events may still be on their way.
    ///
    /// - Parameter time: The time of an event.
    public func advance(to time: Timestamp) {
        state.withLock { $0.advance(to: time.nanosecondsSinceEpoch) }
    }

    /// The text of a symbol.
    ///
    /// - Parameter symbol: One that this table gave out, and has not forgotten.
    /// - Returns: The text, as it was given.
    public func name(of symbol: Symbol) -> String {
        state.withLock { $0.name(of: symbol.index) }
    }

    /// The text of the symbol with an index.
    ///
    /// - Parameter index: That of a symbol that this table gave out, and has not forgotten.
    /// - Returns: The text, as it was given.
    public func name(of index: Int) -> String {
        state.withLock { $0.name(of: index) }
    }

    /// Saves the texts with their symbols and the times of their last use, or gives them back.
    ///
    /// A table with another limit, or another time after which texts are forgotten, does not fit.
    ///
    /// - Parameter state: Takes the fields; a section is open.
    /// - Throws: `StateError`.
    /// - Complexity: O(*n*) for *n* texts.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(limit)
        state.require(idle ?? 0)
        var saved = state.isSaving ? self.state.withLock { $0.saved } : SymbolTableState.Saved()
        try saved.exchangeState(&state)
        guard state.isRestoring else { return }
        guard let restored = SymbolTableState(saved) else {
            throw .damaged("the lists of a table of texts do not fit one another", offset: 0)
        }
        self.state.withLock { $0 = restored }
    }

    /// How many different texts there are, those among them that are idle and not forgotten yet.
    public var count: Int { state.withLock { $0.count } }
}
