public import WeirCore

/// Counts matches without keeping any: for outputs that want nothing but their number.
///
/// All partial matches that wait in the same state fare alike, so their number is enough: an event maps the numbers of all
/// states linearly to new ones. What makes it work in a sliding window is that such maps can be composed: the starts that
/// may expire soon lie in front, with the sum of all that began then or later, as it was at the last turn; for the events
/// since then there is one composed map behind. When the front is used up, the events behind are gone through once, from
/// the youngest to the oldest, and become the new front. This is the two-stack aggregation of Tangwongsan, Hirzel and
/// Schneider, "Low-latency sliding-window aggregation in worst-case constant time", DEBS 2017, over affine maps.
///
/// Numbers are kept modulo 2⁶⁴.
///
/// - Complexity: O(*s*²) per event for *s* states, amortised, whatever the window and the number of matches.
@frozen
@usableFromInline
struct CompactCounter: ~Copyable, Sendable {
    /// An event since the last turn.
    @frozen
    @usableFromInline
    struct Entry: BitwiseCopyable, Sendable {
        @usableFromInline var program: CompactProgram
        @usableFromInline var time: Int64

        @inlinable
        init(_ program: CompactProgram, _ time: Int64) {
            self.program = program
            self.time = time
        }
    }

    /// With more states composing maps costs more than counting in the graph.
    @usableFromInline static var greatestStateCount: Int { 8 }

    @usableFromInline let stateCount: UInt32
    @usableFromInline let isBounded: Bool
    /// How many events may be kept.
    @usableFromInline let limit: UInt32
    // How many partial matches wait in each state.
    @usableFromInline var numbers: PositionRing<UInt64>
    @usableFromInline var scratch: PositionRing<UInt64>

    // The starts that were there at the last turn, the oldest last: their times, and for each one number for each state.
    @usableFromInline var frontTimes = PositionRing<Int64>(capacity: 64, filler: 0)
    @usableFromInline var frontSums = PositionRing<UInt64>(capacity: 64, filler: 0)
    @usableFromInline var frontCount: UInt32 = 0

    // The events since the last turn, what they do to what was there before (a column for each state), and what began.
    @usableFromInline var entries = PositionRing(capacity: 64, filler: Entry(.unknown, 0))
    @usableFromInline var entryCount: UInt32 = 0
    @usableFromInline var map: PositionRing<UInt64>
    @usableFromInline var begun: PositionRing<UInt64>
    @usableFromInline var firstBegun = Int64.max

    @usableFromInline
    init(stateCount: Int, isBounded: Bool, limit: Int) {
        self.stateCount = UInt32(stateCount)
        self.isBounded = isBounded
        // The numbers of all states of all events must be numbered, too.
        self.limit = UInt32(min(limit, 1 << 28))
        numbers = PositionRing(capacity: max(1, stateCount), filler: 0)
        scratch = PositionRing(capacity: max(1, stateCount), filler: 0)
        begun = PositionRing(capacity: max(1, stateCount), filler: 0)
        map = PositionRing(capacity: max(1, stateCount * stateCount), filler: 0)
        clearBack()
    }

    @usableFromInline var bytes: Int {
        frontTimes.capacity * 8 + frontSums.capacity * 8 + entries.capacity * MemoryLayout<Entry>.stride
    }

    /// Whether there is no room for one more event, unless others expire.
    @inlinable var isFull: Bool { frontCount &+ entryCount >= limit }

    /// Whether an event would be kept.
    @inlinable
    func keeps(_ program: CompactProgram) -> Bool { program.starts || firstBegun != .max }

    /// Takes an event, for which there is room.
    ///
    /// - Parameters:
    ///   - program: What it does.
    ///   - instructions: The instructions of all programs.
    ///   - time: Its time.
    ///   - floor: Partial matches that started before have expired.
    /// - Returns: How many matches it completes.
    @inlinable
    mutating func receive(
        _ program: CompactProgram,
        _ instructions: borrowing PositionRing<CompactInstruction>,
        _ time: Int64,
        _ floor: Int64
    ) -> Int {
        if isBounded {
            expire(before: floor, instructions)
            // Nothing waits.
            if frontCount == 0, firstBegun == .max, !program.starts { return 0 }
        }
        let count = Self.apply(program, instructions, to: &numbers, at: 0, begins: true, &scratch, stateCount)
        if isBounded {
            for column in 0..<stateCount {
                _ = Self.apply(
                    program,
                    instructions,
                    to: &map,
                    at: column &* stateCount,
                    begins: false,
                    &scratch,
                    stateCount
                )
            }
            _ = Self.apply(program, instructions, to: &begun, at: 0, begins: true, &scratch, stateCount)
            // Nothing that began behind could have fared before it began.
            if keeps(program) { append(Entry(program, time)) }
        }
        return Int(truncatingIfNeeded: count)
    }

    @inlinable
    mutating func append(_ entry: Entry) {
        if Int(entryCount) == entries.capacity { growEntries() }
        entries[entryCount] = entry
        entryCount &+= 1
        if entry.program.starts, firstBegun == .max { firstBegun = entry.time }
    }

    @usableFromInline
    @inline(never)
    mutating func growEntries() {
        entries.resize(to: entries.capacity * 2, keeping: 0, to: entryCount, filler: Entry(.unknown, 0))
    }

    /// Maps the numbers of all states to those after an event.
    ///
    /// - Parameters:
    ///   - program: What the event does.
    ///   - instructions: The instructions of all programs.
    ///   - numbers: The numbers.
    ///   - base: Where they begin.
    ///   - begins: Whether those that begin with the event are added.
    ///   - scratch: As many zeros as there are states, before and after.
    ///   - stateCount: How many states there are.
    /// - Returns: How many matches there are.
    @inlinable
    static func apply(
        _ program: CompactProgram,
        _ instructions: borrowing PositionRing<CompactInstruction>,
        to numbers: inout PositionRing<UInt64>,
        at base: UInt32,
        begins: Bool,
        _ scratch: inout PositionRing<UInt64>,
        _ stateCount: UInt32
    ) -> UInt64 {
        var matches: UInt64 = 0
        var hasDeferred = false
        var index = program.first
        while index != program.end {
            let source = instructions[index]
            index &+= 1
            let end = index &+ source.number
            let number: UInt64
            switch source.operation {
            case .fromStart:
                number = begins ? 1 : 0
            case .from:
                number = numbers[base &+ UInt32(source.cell)]
                numbers[base &+ UInt32(source.cell)] = 0
            default:
                number = numbers[base &+ UInt32(source.cell)]
            }
            if number == 0 {
                index = end
                continue
            }
            while index != end {
                let instruction = instructions[index]
                index &+= 1
                switch instruction.operation {
                case .match, .matchTaking:
                    matches &+= number
                default:
                    let target = UInt32(instruction.cell)
                    if instruction.isDeferred {
                        hasDeferred = true
                        scratch[target] = scratch[target] &+ number
                    } else {
                        numbers[base &+ target] = numbers[base &+ target] &+ number
                    }
                }
            }
        }
        if hasDeferred {
            for state in 0..<stateCount {
                numbers[base &+ state] = numbers[base &+ state] &+ scratch[state]
                scratch[state] = 0
            }
        }
        return matches
    }
}
