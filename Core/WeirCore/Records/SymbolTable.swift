/// A small number that stands for a text, given out by a ``SymbolTable``.
@frozen
public struct Symbol: Sendable, Hashable {
    /// The place of the text in its table; the first text has 0.
    public let index: Int

    @usableFromInline
    init(index: Int) {
        self.index = index
    }

    /// The symbol of the first text of every table.
    public static var first: Symbol { Symbol(index: 0) }
}

/// Gives each different text a number, so that events can carry and compare the number instead of the text.
///
/// Thread safety: any thread; a lock guards the table.
public final class SymbolTable: Sendable {
    private struct State {
        var names: [String] = []
        // Open addressing with linear probing, at most half full; -1 marks a free place. The hash is Swift's own, which
        // is seeded anew in each process: nobody can choose texts that collide.
        var places: [Int] = Array(repeating: -1, count: 64)

        mutating func grow() {
            places = Array(repeating: -1, count: places.count * 2)
            for (index, name) in names.enumerated() {
                var name = name
                let hash = name.withUTF8 { unsafe SymbolTable.hash(UnsafeRawBufferPointer($0)) }
                var place = hash & (places.count - 1)
                while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
                places[place] = index
            }
        }
    }

    /// How many different texts the table takes.
    public let limit: Int

    private let state = Locked(State())

    /// Creates an empty table.
    ///
    /// - Parameter limit: How many different texts it takes; further ones are refused.
    public init(limit: Int) {
        precondition(limit > 0, "a symbol table needs room for a text, not for \(limit)")
        self.limit = limit
    }

    /// The symbol of a text, made when the text is new.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: `nil` when the text is new and the table is full, or when it is not valid UTF-8.
    /// - Complexity: O(*n*) on average for *n* bytes; allocates only for new texts.
    public func symbol(for text: Span<UInt8>) -> Symbol? {
        let hash = unsafe text.withUnsafeBytes { unsafe Self.hash($0) }
        return state.withLock { state -> Symbol? in
            var place = hash & (state.places.count - 1)
            while state.places[place] >= 0 {
                if isEqual(text, state.names[state.places[place]]) { return Symbol(index: state.places[place]) }
                place = (place + 1) & (state.places.count - 1)
            }
            guard state.names.count < limit else { return nil }
            let name = unsafe text.withUnsafeBufferPointer { bytes in
                unsafe String(validating: bytes, as: UTF8.self)
            }
            guard let name else { return nil }
            state.names.append(name)
            state.places[place] = state.names.count - 1
            if state.names.count * 2 > state.places.count { state.grow() }
            return Symbol(index: state.names.count - 1)
        }
    }

    /// The text of a symbol.
    ///
    /// - Parameter symbol: One that this table gave out.
    /// - Returns: The text, as it was given.
    public func name(of symbol: Symbol) -> String {
        state.withLock { $0.names[symbol.index] }
    }

    /// The text of the symbol with an index.
    ///
    /// - Parameter index: That of a symbol that this table gave out.
    /// - Returns: The text, as it was given.
    public func name(of index: Int) -> String {
        state.withLock { $0.names[index] }
    }

    /// How many different texts there are.
    public var count: Int { state.withLock { $0.names.count } }

    private func isEqual(_ text: Span<UInt8>, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard bytes.count == text.count else { return false }
            for index in text.indices where unsafe bytes[index] != text[index] { return false }
            return true
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
