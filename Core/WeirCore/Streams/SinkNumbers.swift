/// The places of a chain of sinks that is attached anew by itself, such as that of `retry`, or that goes on with another
/// stream, such as that of `concat`.
///
/// Channels number their sinks in the order in which they were attached, and checkpoints know them by these numbers. A chain
/// that is attached again has the numbers of the one before it, so that in a new process, where it is attached once, its
/// state is found. What a chain leaves is told, so that the chain leaves it in a new process too, see ``DepartedSinks``.
///
/// Thread safety: any thread; the chain is attached by one at a time.
package final class SinkNumbers: Sendable {
    package typealias Exchange = @Sendable (inout StateExchange) throws(StateError) -> Void

    private struct Place: Sendable {
        weak let source: (any SinkSource)?
        let number: UInt64
        // Whether it was taken after the chain had been attached, by a chain that is a part of this one.
        let isLater: Bool
        // Why a chain that is a part of this one has left it.
        var departure: Departure?
    }

    private struct State: Sendable {
        var places: [Place] = []
        var next = 0
        var isAttaching = false
        var isOver = false
        // What waits to be attached again.
        var waiting: Exchange?
    }

    @TaskLocal private static var current: SinkNumbers?

    private let state = Locked(State())

    // That of the chain that this one is a part of.
    private let outer = SinkNumbers.current

    package init() {}

    /// Attaches the chain, for the first time or again; `attach` does so before it returns.
    package func attach<Result>(_ attach: () -> Result) -> Result {
        state.withLock { state in
            state.next = 0
            state.isAttaching = true
            state.waiting = nil
        }
        defer { state.withLock { $0.isAttaching = false } }
        return Self.$current.withValue(self, operation: attach)
    }

    /// Leaves the places for another stream; before that is attached.
    package func leave(because departure: Departure) {
        let places = state.withLock { state in
            defer { state.places = [] }
            return state.places
        }
        for place in places {
            outer?.note(departure, of: place.source)
            place.source?.departed.add(place.number, self, place.departure ?? departure)
        }
    }

    private func note(_ departure: Departure, of source: (any SinkSource)?) {
        state.withLock { state in
            for index in state.places.indices
            where state.places[index].source === source && state.places[index].departure == nil {
                state.places[index].departure = departure
            }
        }
        outer?.note(departure, of: source)
    }

    /// Leaves the places until the chain is attached again.
    ///
    /// - Parameter exchange: Exchanges the state of what waits for that.
    package func pause(_ exchange: @escaping Exchange) {
        let places = state.withLock { state in
            state.waiting = exchange
            return state.places
        }
        for place in places where !place.isLater { place.source?.departed.add(place.number, self, nil) }
    }

    /// Says that there will be no more signals.
    package func end() {
        state.withLock { state in
            state.isOver = true
            state.waiting = nil
            state.places = []
        }
    }

    /// Makes the places those of the chain that is being attached, too: it is one of several behind this one.
    package func lend() {
        guard let current = Self.current else { return }
        for place in state.withLock({ $0.places }) {
            if let source = place.source { _ = current.number(in: source) { place.number } }
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// What waits to be attached again; it has its state at the first of its places.
    var waiting: Exchange? {
        guard let waiting = state.withLock({ $0.waiting }) else { return nil }
        return { [self] (state: inout StateExchange) throws(StateError) in try state.exchangeOnce(self, waiting) }
    }

    /// The number of a sink that is being attached.
    ///
    /// - Parameters:
    ///   - source: What it is attached to.
    ///   - new: Gives a number that no other sink has.
    /// - Returns: The number, and whether another sink had it before.
    static func number(in source: any SinkSource, _ new: () -> UInt64) -> (number: UInt64, isKnown: Bool) {
        guard let current else { return (new(), false) }
        return current.number(in: source, new)
    }

    private func number(in source: any SinkSource, _ new: () -> UInt64) -> (number: UInt64, isKnown: Bool) {
        let known: UInt64? = state.withLock { state in
            guard state.next < state.places.count, state.places[state.next].source === source else { return nil }
            state.next += 1
            return state.places[state.next - 1].number
        }
        if let known { return (known, true) }
        let found = outer?.number(in: source, new) ?? (number: new(), isKnown: false)
        state.withLock { state in
            state.places.removeSubrange(min(state.next, state.places.count)...)
            state.places.append(Place(source: source, number: found.number, isLater: !state.isAttaching))
            state.next = state.places.count
        }
        return found
    }
}

/// Why a chain of sinks has gone on with another stream.
@usableFromInline
package enum Departure: Equatable, Sendable {
    case finished
    case failed(String)
    case timedOut
}

extension Departure: StateCodable {
    @usableFromInline
    package func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .finished: writer.append(UInt8(0))
        case .failed(let error):
            writer.append(UInt8(1))
            try error.save(to: &writer)
        case .timedOut: writer.append(UInt8(2))
        }
    }

    @usableFromInline
    package init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .finished
        case 1: self = .failed(try String(restoringFrom: &reader))
        case 2: self = .timedOut
        default: throw reader.damage("no stream is left like this")
        }
    }
}
