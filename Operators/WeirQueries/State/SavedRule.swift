internal import WeirCore

/// What a rule keeps beside its pipes, in the form in which checkpoints have it: the same whatever came before in the
/// places of the engine.
struct SavedRule {
    /// The keys: those of a sequence from the one that was touched first on, those of a sample in the order of their first
    /// events.
    var keys: [SavedKey] = []

    /// The pending matches of a sequence.
    var matches: [SavedMatch] = []

    /// The events that wait for others of a sample.
    var candidates: [SavedCandidate] = []

    /// How many events a sample has seen.
    var eventCount: UInt64 = 0
}

/// A key of a rule.
struct SavedKey: StateCodable {
    let key: EventKey
    /// When it was touched last.
    var time: Int64 = 0
    /// The time of the last event of a leading missing step.
    var lead = Int64.min
    /// Whether it has its sample.
    var isDone = false

    /// How many bytes it has at least.
    static var leastSize: Int { 33 }

    init(_ key: EventKey) { self.key = key }

    func save(to writer: inout StateWriter) throws(StateError) {
        try key.save(to: &writer)
        writer.append(time)
        writer.append(lead)
        writer.append(UInt8(isDone ? 1 : 0))
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        key = try EventKey(restoringFrom: &reader)
        time = try reader.number(Int64.self)
        lead = try reader.number(Int64.self)
        isDone = try reader.number(UInt8.self) != 0
    }
}

/// A pending match of a sequence.
struct SavedMatch: StateCodable {
    struct Fields {
        /// The time of its first event; where it waits, the last time at which it can be ended.
        let time: Int64
        /// The time of the last event of a leading missing step before it.
        var lead = Int64.min
        /// The index of its key.
        let key: UInt32
        /// How many stages it has passed; all of them where it waits for what must not follow.
        let passed: UInt32
        /// Whether something occurred that must not.
        let isRejected: Bool
    }

    let fields: Fields

    /// Its events, one for each stage that it has passed; most have few, which need no memory of their own.
    private var firstEvents = SIMD4<UInt32>()
    private var moreEvents: [UInt32] = []

    /// How many bytes it has at least.
    static var leastSize: Int { 25 }

    /// Creates a match whose events are not known yet.
    init(_ fields: Fields) {
        self.fields = fields
        if fields.passed > 4 { moreEvents = Array(repeating: 0, count: Int(fields.passed) - 4) }
    }

    /// How many events it has.
    var eventCount: Int { Int(fields.passed) }

    /// An event.
    subscript(index: Int) -> UInt32 {
        get { index < 4 ? firstEvents[index] : moreEvents[index - 4] }
        set { if index < 4 { firstEvents[index] = newValue } else { moreEvents[index - 4] = newValue } }
    }

    func save(to writer: inout StateWriter) throws(StateError) {
        writer.append(fields.time)
        writer.append(fields.lead)
        writer.append(fields.key)
        writer.append(fields.passed)
        writer.append(UInt8(fields.isRejected ? 1 : 0))
        for index in 0..<eventCount { writer.append(self[index]) }
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        fields = Fields(
            time: try reader.number(Int64.self),
            lead: try reader.number(Int64.self),
            key: try reader.number(UInt32.self),
            passed: try reader.number(UInt32.self),
            isRejected: try reader.number(UInt8.self) != 0
        )
        // A number that is made up does not get memory.
        for index in 0..<eventCount {
            let event = try reader.number(UInt32.self)
            if index < 4 { firstEvents[index] = event } else { moreEvents.append(event) }
        }
    }
}

/// An event that waits for others of a sample.
struct SavedCandidate {
    /// Which event it is of those that were seen.
    let serial: UInt64
    /// The index of its key.
    let key: UInt32
    /// The step that it satisfies.
    let step: UInt32
    let event: UInt32
}

/// Some bytes that are one element.
struct SavedBytes: StateCodable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func save(to writer: inout StateWriter) throws(StateError) { writer.write(bytes: bytes) }

    init(restoringFrom reader: inout StateReader) throws(StateError) { bytes = try reader.readBytes() }
}

/// The numbers that kept events have in a checkpoint: from 0, in the order in which they are asked for.
struct EventNumbers {
    /// An event of one of several stores.
    struct Event {
        let store: Int
        let number: UInt32
    }

    // For each store the numbers of its events, by the numbers that these have there, which are small.
    private var numbers: [[UInt32]] = []
    private static let none = UInt32.max

    /// The events by their numbers.
    private(set) var events: [Event] = []

    /// The store that the events are of which are asked for.
    var store = 0 {
        didSet { while numbers.count <= store { numbers.append([]) } }
    }

    init() { numbers = [[]] }

    mutating func number(of event: UInt32) -> UInt32 {
        let place = Int(event)
        if numbers[store].count <= place {
            // Twice as many, as arrays do by themselves for one more.
            let count = max(place + 1, numbers[store].count * 2)
            numbers[store] += repeatElement(Self.none, count: count - numbers[store].count)
        }
        let known = numbers[store][place]
        guard known == Self.none else { return known }
        let number = UInt32(events.count)
        numbers[store][place] = number
        events.append(Event(store: store, number: event))
        return number
    }
}

/// The events of a checkpoint, where they are kept now; each has a holder more until all rules have theirs.
struct RestoredEvents {
    var numbers: [UInt32] = []

    /// The number of an event, for one more holder.
    func take(_ event: UInt32, _ retain: (UInt32) -> Void) -> UInt32? {
        guard event < numbers.count else { return nil }
        let number = numbers[Int(event)]
        retain(number)
        return number
    }
}
