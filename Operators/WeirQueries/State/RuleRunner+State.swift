internal import WeirCore

extension RuleRunner {
    /// What its engine keeps.
    func saved(_ numbers: inout EventNumbers) -> SavedRule {
        sequence?.saved(&numbers) ?? sample?.saved(&numbers) ?? SavedRule()
    }

    /// Saves what the engine and the pipes keep, or gives it back.
    ///
    /// - Parameters:
    ///   - state: Takes the fields.
    ///   - saved: What ``saved(_:)`` gave, when it is being saved.
    ///   - program: Tells the rule from others, where its parts have sections of their own; `nil` in that of the caller.
    ///   - events: The events of the checkpoint, when it is being restored.
    ///   - retain: Called with each event that has one holder more.
    ///   - pack: What is saved of an event that pipes keep.
    ///   - unpack: The event of it.
    /// - Throws: `StateError`.
    mutating func exchangeState<Kept>(
        _ state: inout StateExchange,
        _ saved: SavedRule,
        _ program: String?,
        _ events: RestoredEvents,
        _ retain: (UInt32) -> Void,
        pack: (Content) -> Kept,
        unpack: (Kept) -> Content
    ) throws(StateError) {
        if hasKeys {
            try state.begin("keys", of: program)
            if sequence != nil {
                try exchangeSequence(&state, saved, program, events, retain)
            } else {
                var saved = saved
                try state.exchange(&saved.keys)
                let keysFit = state.isRestoring
                try state.begin("candidates", of: program)
                try state.exchange(&saved.eventCount)
                try state.exchange(&saved.candidates)
                if keysFit, state.isRestoring {
                    try Self.check(sample?.restore(saved, events, retain) ?? true)
                }
            }
        }
        guard hasPipes else { return }
        try state.begin("pipes", of: program)
        try pipes.exchangeState(&state, pack: pack, unpack: unpack)
    }

    /// The same of a sequence, which may have many keys: what is restored is not in memory twice.
    private mutating func exchangeSequence(
        _ state: inout StateExchange,
        _ saved: SavedRule,
        _ program: String?,
        _ events: RestoredEvents,
        _ retain: (UInt32) -> Void
    ) throws(StateError) {
        let empty = sequence
        try state.exchange(saved.keys, ofAtLeast: SavedKey.leastSize) { (keys, count) throws(StateError) in
            try Self.check(sequence?.restore(keys, of: count) ?? true)
        }
        let keysFit = state.isRestoring
        try state.begin("partial matches", of: program)
        // Keys and matches fit together, or not.
        if keysFit != state.isRestoring { sequence = empty }
        try state.exchange(saved.matches, ofAtLeast: SavedMatch.leastSize) { (matches, _) throws(StateError) in
            guard keysFit else { return }
            try Self.check(sequence?.restore(matches, events, retain) ?? true)
        }
    }

    private static func check(_ makesSense: Bool) throws(StateError) {
        guard makesSense else { throw .damaged("the partial matches of a query make no sense", offset: 0) }
    }
}

extension StateExchange {
    /// Begins the section of a part of a rule, where it has one of its own.
    fileprivate mutating func begin(_ part: StaticString, of program: String?) throws(StateError) {
        guard let program else { return }
        try begin(part)
        require(describing: program)
    }
}

extension QueryPlan {
    /// The plan as text which is another one where what is kept has another meaning.
    var program: String {
        "\(self); \(fields.map(\.savedName).joined(separator: ", "))"
    }
}

/// What a pipe keeps, as a checkpoint has it.
struct SavedFinding<Kept>: StateComposite {
    static var stateParts: [Any.Type] { [Kept.self] }

    private struct Fields {
        let time: Int64
        let count: UInt64
        let share: Double
        let eventCount: UInt32
        let isCount: UInt8
    }

    private var key = EventKey()
    private var time: Int64 = 0
    private var count: UInt64 = 0
    private var share = 0.0
    private var events: [Kept?] = []
    private var isCount = false
    // Of a count its own; of a match for each pipe those of its first event.
    private var values: [[QueryValue]] = []

    init<Content>(_ finding: QueryFinding<Content>, _ pack: (Content) -> Kept) {
        switch finding {
        case .count(let tally):
            (isCount, count, share, values) = (true, tally.count, tally.share, [tally.values])
        case .match(let match):
            (key, time) = (match.key, match.time)
            events = match.events.map { $0.map { pack($0.content) } }
            values = match.events.lazy.compactMap(\.self).first?.values ?? []
        }
    }

    func finding<Content>(_ unpack: (Kept) -> Content) -> QueryFinding<Content> {
        guard !isCount else { return .count(Tally(values: values.first ?? [], count: count, share: share)) }
        // Pipes look at the first event alone.
        let first = events.firstIndex { $0 != nil }
        let kept = events.enumerated().map { index, event in
            event.map { KeptEvent(content: unpack($0), values: index == first ? values : []) }
        }
        return .match(FoundMatch(key: key, events: kept, time: time))
    }

    func save(to writer: inout StateWriter) throws(StateError) {
        try key.save(to: &writer)
        try writer.write(
            Fields(
                time: time,
                count: count,
                share: share,
                eventCount: UInt32(events.count),
                isCount: isCount ? 1 : 0
            )
        )
        for event in events {
            writer.append(UInt8(event == nil ? 0 : 1))
            if let event { try writer.write(event) }
        }
        writer.append(UInt32(values.count))
        for list in values { try list.saveValues(to: &writer) }
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        key = try EventKey(restoringFrom: &reader)
        let fields = try reader.read(Fields.self)
        (time, count, share, isCount) = (fields.time, fields.count, fields.share, fields.isCount != 0)
        for _ in 0..<fields.eventCount {
            events.append(try reader.number(UInt8.self) != 0 ? try reader.read(Kept.self) : nil)
        }
        for _ in 0..<(try reader.number(UInt32.self)) { values.append(try [QueryValue](valuesFrom: &reader)) }
    }
}
