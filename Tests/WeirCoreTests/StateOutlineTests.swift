import Testing
import WeirCore
import WeirTesting

/// States that are told as changes of the ones before.
@Suite struct StateOutlineTests {
    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// A state with a few differences: bytes that are replaced, inserted, removed, doubled or moved.
    private static func changed(_ state: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var state = state
        func range(_ limit: Int) -> Range<Int> {
            let start = Int.random(in: 0...state.count, using: &random)
            return start..<min(state.count, start + Int.random(in: 0...limit, using: &random))
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: state.replaceSubrange(range(300), with: noise(Int.random(in: 0...300, using: &random), &random))
            case 1: state.removeSubrange(range(20_000))
            case 2: state.insert(contentsOf: state[range(30_000)], at: range(0).lowerBound)
            case 3: state += noise(Int.random(in: 0...10_000, using: &random), &random)
            case 4: state.insert(contentsOf: [UInt8](repeating: 7, count: 40_000), at: range(0).lowerBound)
            default:
                let range = range(50_000)
                let moved = state[range]
                state.removeSubrange(range)
                state.insert(contentsOf: moved, at: Int.random(in: 0...state.count, using: &random))
            }
        }
        return state
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func changesLeadToTheLastState(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var state = Self.noise(Int.random(in: 0...200_000, using: &random), &random)
        var (bytes, lengths) = (state, [Int]())
        var outline = StateOutline(of: state)
        for step in 0..<12 {
            state = step == 7 ? [] : step == 8 ? Self.noise(70_000, &random) : Self.changed(state, &random)
            let (found, next) = outline.changes(to: state)
            let changes = try #require(found)
            bytes += changes
            lengths.append(changes.count)
            outline = next
            #expect(StateOutline.state(bytes, changes: lengths) == state, "seed \(seed), step \(step)")
        }
    }

    @Test func changesThatAreTooLongAreNotWritten() throws {
        var random = SeededGenerator(seed: 4)
        let (state, other) = (Self.noise(100_000, &random), Self.noise(60_000, &random))
        let all = try #require(StateOutline(of: state).changes(to: other).changes)
        #expect(StateOutline(of: state).changes(to: other, limit: all.count).changes == all)
        let (none, outline) = StateOutline(of: state).changes(to: other, limit: all.count - 1)
        #expect(none == nil && outline.changes(to: other).changes?.count == 32)
    }

    @Test func aSmallChangeIsToldInLittle() throws {
        var random = SeededGenerator(seed: 1)
        let state = Self.noise(1 << 20, &random)
        let outline = StateOutline(of: state)
        #expect(outline.changes(to: state).changes?.count == 32)
        // Wherever it is, and however much it moves what follows.
        for place in stride(from: 0, through: state.count, by: state.count / 20) {
            var other = state
            other.insert(contentsOf: [1, 2, 3], at: place)
            #expect(try #require(outline.changes(to: other).changes).count < 20_000, "\(place)")
            other.remove(at: min(place + 5, other.count - 1))
            #expect(try #require(outline.changes(to: other).changes).count < 30_000, "\(place)")
        }
    }

    /// Bytes that are all the same have parts that are all the same, as short or as long as they may be.
    @Test func bytesThatRepeatAreToldInLittle() throws {
        let state = [UInt8](repeating: 0, count: 1 << 20)
        let changes = try #require(StateOutline(of: state).changes(to: state + state).changes)
        #expect(changes.count <= 2 * state.count / 256 * 16 + 16)
        #expect(StateOutline.state(state + changes, changes: [changes.count]) == state + state)
    }

    /// Of changes that another program wrote comes no state, or some state; they end no program.
    @Test func bytesThatAreNoChangesAreRefused() throws {
        var random = SeededGenerator(seed: 2)
        let state = Self.noise(50_000, &random)
        let changes = try #require(StateOutline(of: state).changes(to: Self.changed(state, &random)).changes)
        #expect(StateOutline.state(state, changes: [state.count + 1]) == nil)
        #expect(StateOutline.state(state, changes: [-1]) == nil)
        #expect(StateOutline.state(state, changes: [7]) == nil)
        for length in 0..<changes.count where length < 200 || length % 97 == 0 {
            #expect(StateOutline.state(state + changes[..<length], changes: [length]) == nil, "\(length)")
        }
        #expect(StateOutline.state(state + changes + [0], changes: [changes.count + 1]) == nil)
        for _ in 0..<2000 {
            var other = changes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                other[Int.random(in: 0..<min(80, other.count), using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = StateOutline.state(state + other, changes: [other.count])
        }
    }

    /// Changes that double a state again and again do not fill the memory.
    @Test func aStateThatDoublesWithoutEndIsRefused() throws {
        func word(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        var (bytes, lengths) = ([UInt8](repeating: 1, count: 1000), [Int]())
        var length = 1000
        for _ in 0..<10 {
            let changes = word(2 * length) + word(2) + word(0) + word(length) + word(0) + word(length)
            bytes += changes
            lengths.append(changes.count)
            length *= 2
        }
        #expect(StateOutline.state(bytes, changes: lengths, limit: 1_023_999) == nil)
        #expect(StateOutline.state(bytes, changes: lengths, limit: 1_024_000)?.count == 1_024_000)
    }
}
