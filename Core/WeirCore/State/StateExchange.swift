/// Takes what sinks remember into a checkpoint, or gives it back: each sink lists its fields once, for both directions.
///
///     struct Counting<Downstream: Sink>: Sink {
///         var count = 0
///         var downstream: Downstream
///
///         mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
///             try state.begin("counting")
///             try state.exchange(&count)
///             try downstream.exchangeState(&state)
///         }
///
///         mutating func receive(_ element: borrowing Downstream.Input, at time: Timestamp) {
///             count += 1
///             downstream.receive(element, at: time)
///         }
///
///         mutating func advance(to watermark: Timestamp) { downstream.advance(to: watermark) }
///
///         mutating func finish(_ completion: Completion) { downstream.finish(completion) }
///     }
///
/// What a sink does not remember, such as its closures and settings, is not listed: a checkpoint is restored into a pipeline
/// that was attached anew, which has them. A sink without state has only the last line.
///
/// Before anything is restored, the sinks are asked what they consist of, so that it is known what fits: then the calls
/// neither read nor write. So a sink lists the same fields whatever their values are, and does work of its own only where
/// ``isRestoring`` is true.
///
/// Thread safety: one thread at a time.
public struct StateExchange: ~Copyable {
    enum Mode {
        case describing
        case saving
        case restoring
    }

    var mode: Mode
    let codecs = StateCodecs()
    var writer: StateWriter
    var reader: StateReader

    // What the sections are called.
    var scope = ""
    var names: Set<String> = []
    var ordinals: [String: Int] = [:]
    // What was seen of objects that several sinks refer to.
    var visited: Set<ObjectIdentifier> = []

    // The section that is open.
    var section: StateSection?
    var fingerprint = Fingerprint()
    // Whether the fields of the open section are read: not where it does not fit.
    var isFitting = false
    // Inside copies of one chain, which have one section.
    var isInRows = false

    // The codecs of the last fields, by their order: copies of a chain have the same.
    var recent: [(type: ObjectIdentifier, codec: StateCodec)] = []
    var place = 0

    // Why the sinks that are visited are to go on with another stream; and whether any has.
    var departure: Departure?
    var hasSwitched = false

    // Those that were written or described, in order.
    var sections: [StateSection] = []
    // When restoring: those of the file, and what became of them.
    var stored: [String: StateSection] = [:]
    var report = RestoreReport()
    var drops = false

    init(_ mode: Mode, _ bytes: ArraySlice<UInt8> = []) {
        self.mode = mode
        writer = StateWriter(codecs)
        reader = StateReader(bytes, codecs)
    }

    /// Whether the values of fields are being saved.
    public var isSaving: Bool { mode == .saving }

    /// Whether the fields of this section have been given values: what is computed from them has to be made again.
    public var isRestoring: Bool { mode == .restoring && isFitting }

    /// Begins the section of a sink, which ends where the next one begins.
    ///
    /// - Parameters:
    ///   - kind: What the sink does, as the name of the operator. Sections of one kind are told apart by their order, so that
    ///     another one of that kind before them should be named, see ``EventStream/named(_:)``.
    ///   - version: The version of the fields' meaning; a section of another version does not fit.
    /// - Throws: ``StateError``.
    public mutating func begin(_ kind: StaticString, version: UInt32 = 1) throws(StateError) {
        if isInRows {
            if mode == .describing { fingerprint.mix("\(kind)@\(version)") }
            return
        }
        try open(nextName(of: kind), version)
    }

    /// The name of the next section of a kind in this scope.
    private mutating func nextName(of kind: StaticString) -> String {
        let name = scope.isEmpty ? "\(kind)" : "\(scope)/\(kind)"
        let ordinal = ordinals[name, default: 0]
        ordinals[name] = ordinal + 1
        return ordinal > 0 ? "\(name)#\(ordinal + 1)" : name
    }

    private mutating func open(_ name: String, _ version: UInt32) throws(StateError) {
        try end()
        section = StateSection(name: name, version: version)
        fingerprint = Fingerprint()
        place = 0
        recent = []
        switch mode {
        case .describing: break
        case .saving:
            writer.items = 0
            section?.start = writer.beginSection(name, version)
        case .restoring:
            isFitting = false
            guard let found = stored[name], report.fits(name) else { return }
            isFitting = true
            section = found
            reader.offset = found.start
            reader.end = found.end
        }
    }

    /// Exchanges a field.
    ///
    /// - Parameter value: Saved, or replaced by what was saved: of a trivial type, a ``StateCodable`` one, or a collection,
    ///   optional, tuple or struct of such.
    /// - Throws: ``StateError``.
    public mutating func exchange<Value>(_ value: inout Value) throws(StateError) {
        guard section != nil || isInRows || mode == .restoring else {
            throw .unsaveable(operator: "an operator that exchanges a field before begin(_:)")
        }
        let codec = try codec(of: Value.self)
        switch mode {
        case .describing: fingerprint.mix(codec.fingerprint)
        case .saving:
            if !isInRows { fingerprint.mix(codec.fingerprint) }
            unsafe try withUnsafePointer(to: &value) { (place) throws(StateError) in
                unsafe try codec.write(UnsafeRawPointer(place), to: &writer)
            }
        case .restoring:
            guard isFitting else { return }
            unsafe try withUnsafeMutablePointer(to: &value) { (place) throws(StateError) in
                let old = unsafe place.move()
                do throws(StateError) {
                    unsafe try codec.read(into: UnsafeMutableRawPointer(place), from: &reader)
                } catch {
                    unsafe place.initialize(to: old)
                    throw error
                }
            }
        }
    }

    /// Names a setting without which the fields have no meaning: a section that was saved with another one does not fit.
    ///
    /// - Parameter setting: The setting, such as the size of a ring.
    public mutating func require(_ setting: some FixedWidthInteger) {
        if describes { fingerprint.mix(UInt64(truncatingIfNeeded: setting)) }
    }

    /// Names settings without which the fields have no meaning, as text.
    ///
    /// - Parameter settings: The settings, such as the states of an automaton; the same text in all processes.
    public mutating func require(describing settings: @autoclosure () -> String) {
        if describes { fingerprint.mix(settings()) }
    }

    /// Whether it matters what the open section consists of: when it is restored, that is known.
    private var describes: Bool { mode == .describing || mode == .saving && !isInRows }

    /// Exchanges how many elements were put in a side output.
    ///
    /// - Parameter output: The side output; several sinks may exchange the same.
    /// - Throws: ``StateError``.
    public mutating func exchange(_ output: SideOutput<some Sendable>) throws(StateError) {
        var count = output.count
        try exchange(&count)
        if isRestoring { output.restore(count: count) }
    }

    /// Exchanges what is in a cell.
    ///
    /// - Parameter cell: The cell.
    /// - Throws: ``StateError``.
    public mutating func exchange<Value>(_ cell: SharedCell<Value>) throws(StateError) {
        try exchange(&cell.value)
    }

    /// Exchanges the state of something that several sinks refer to, once.
    ///
    /// - Parameters:
    ///   - object: What they refer to.
    ///   - body: Exchanges its state, the first time.
    /// - Throws: What `body` throws.
    public mutating func exchangeOnce(
        _ object: AnyObject,
        _ body: (inout StateExchange) throws(StateError) -> Void
    ) throws(StateError) {
        if visited.insert(ObjectIdentifier(object)).inserted { try body(&self) }
    }

    /// Exchanges the state of parts whose sections have names of their own.
    ///
    /// - Parameters:
    ///   - name: Comes before the names of the parts' sections.
    ///   - body: Exchanges their states.
    /// - Throws: What `body` throws.
    public mutating func scoped(
        _ name: String,
        _ body: (inout StateExchange) throws(StateError) -> Void
    ) throws(StateError) {
        let outer = scope
        scope = outer.isEmpty ? name : "\(outer)/\(name)"
        try body(&self)
        scope = outer
    }

    /// Exchanges the state of what follows a name, which replaces the scope: it is found wherever it is.
    mutating func named(
        _ name: String,
        _ body: (inout StateExchange) throws(StateError) -> Void
    ) throws(StateError) {
        guard isInRows || names.insert(name).inserted else { throw .repeatedName(name) }
        let outer = scope
        scope = name
        try body(&self)
        scope = outer
    }

    /// Exchanges which of the sinks of a source are still there, and their states.
    ///
    /// - Parameters:
    ///   - departed: The sinks that have left the source.
    ///   - last: The number of the sink that was attached last.
    ///   - attached: The sinks that are there, in the order of their numbers; asked again when some have gone.
    ///   - detach: When restoring, detaches those that had ended.
    /// - Throws: ``StateError``.
    mutating func exchangeSinks(
        _ departed: DepartedSinks,
        last: UInt64,
        _ attached: () -> [(number: UInt64, exchange: (inout StateExchange) throws(StateError) -> Void)],
        detach: (EndedSinks) -> Void
    ) throws(StateError) {
        var sinks = attached()
        var switched: [(number: UInt64, departure: Departure)] = []
        if isSaving {
            // A stream that several share is still attached after one of them has gone on.
            switched = departed.switched.filter { departed in !sinks.contains { $0.number == departed.number } }
        }
        if try exchangeSwitched(switched, attached) { sinks = attached() }
        if isSaving {
            for (number, exchange) in departed.waiting where !sinks.contains(where: { $0.number == number }) {
                sinks.append((number, exchange))
            }
            sinks.sort { $0.number < $1.number }
        }
        let ended = try exchangeAttached(last, sinks.map(\.number))
        if isRestoring { detach(ended) }
        for (number, exchange) in sinks where !ended.contains(number) {
            try scoped("\(number)") { state throws(StateError) in try exchange(&state) }
        }
    }

    /// Exchanges which of the sinks that were attached one after the other are still there, in a section of its own.
    ///
    /// - Parameters:
    ///   - last: The number of the sink that was attached last.
    ///   - attached: The numbers of those that are there, ascending.
    /// - Returns: Which had ended when the state was saved: they are to be skipped, and to be detached when the state is being
    ///   restored. It is known before anything is restored, because what comes first at an operator of several inputs
    ///   depends on it.
    /// - Throws: ``StateError``.
    package mutating func exchangeAttached(_ last: UInt64, _ attached: [UInt64]) throws(StateError) -> EndedSinks {
        var (last, attached) = (last, attached)
        try begin("attached")
        try exchange(&last)
        try exchange(&attached)
        if readsAhead() {
            last = try reader.read(UInt64.self)
            attached = try reader.read([UInt64].self)
        } else if !isRestoring {
            return EndedSinks(last: 0, living: [])
        }
        return EndedSinks(last: last, living: Set(attached))
    }

    /// Whether the open section fits, though it is only being described; its fields can be read then.
    private mutating func readsAhead() -> Bool {
        guard mode == .describing, let section, let found = stored[section.name], found.version == section.version,
            found.fingerprint == fingerprint.value
        else { return false }
        reader.offset = found.start
        reader.end = found.end
        return true
    }

    /// Exchanges which sinks have gone on with another stream, in a section that is there only if any has, and has those
    /// that are attached anew do the same.
    ///
    /// - Returns: Whether any did.
    private mutating func exchangeSwitched(
        _ switched: [(number: UInt64, departure: Departure)],
        _ attached: () -> [(number: UInt64, exchange: (inout StateExchange) throws(StateError) -> Void)]
    ) throws(StateError) -> Bool {
        guard !isInRows else { return false }
        var (numbers, departures) = (switched.map(\.number), switched.map(\.departure))
        let name = nextName(of: "switched")
        guard mode == .saving ? !numbers.isEmpty : stored[name] != nil else { return false }
        try open(name, 1)
        try exchange(&numbers)
        try exchange(&departures)
        guard readsAhead() else { return false }
        numbers = try reader.read([UInt64].self)
        departures = try reader.read([Departure].self)
        for (number, departure) in zip(numbers, departures) {
            guard let sink = attached().first(where: { $0.number == number }) else { continue }
            // They are not the sinks that will be described.
            var inside = StateExchange(.describing)
            inside.departure = departure
            try sink.exchange(&inside)
            if inside.hasSwitched { hasSwitched = true }
        }
        return hasSwitched
    }

    /// Whether the sink that asks is to go on with another stream, as it did for a reason before the state was saved.
    package mutating func takeDeparture(_ reason: Departure) -> Bool {
        guard departure == reason else { return false }
        departure = nil
        hasSwitched = true
        return true
    }

    /// The error, of which only the text is there, for which the sink that asks is to go on with another stream.
    package mutating func takeError() -> (any Error)? {
        guard case .failed(let text) = departure, takeDeparture(.failed(text)) else { return nil }
        return RestoredError(description: text)
    }

    mutating func codec<Value>(of type: Value.Type) throws(StateError) -> StateCodec {
        let id = ObjectIdentifier(type)
        defer { place += 1 }
        if place < recent.count, recent[place].type == id { return recent[place].codec }
        let codec = try codecs.codec(for: type)
        if place == recent.count {
            recent.append((id, codec))
        } else if place < recent.count {
            recent[place] = (id, codec)
        }
        return codec
    }

    /// Ends the section that is open.
    mutating func end() throws(StateError) {
        guard var ended = section else { return }
        section = nil
        switch mode {
        case .describing:
            ended.fingerprint = fingerprint.value
            sections.append(ended)
        case .saving:
            ended.fingerprint = fingerprint.value
            ended.items = writer.items
            sections.append(ended)
            writer.endSection(ended)
        case .restoring:
            guard isFitting else { return }
            if reader.remaining > 0 {
                throw reader.damage("\(reader.remaining) bytes of \(ended.name) are left over")
            }
        }
    }
}

/// A part of a checkpoint: the state of one sink.
struct StateSection {
    let name: String
    let version: UInt32
    var fingerprint: UInt64 = 0
    var items = 0
    // Of the fields, in the file; when it is written, of the section.
    var start = 0
    var end = 0
}

/// Which of the sinks of a channel have ended.
package struct EndedSinks {
    /// The number of the sink that was attached last.
    let last: UInt64
    let living: Set<UInt64>

    package func contains(_ number: UInt64) -> Bool { number <= last && !living.contains(number) }
}
