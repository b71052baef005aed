import Testing
import WeirCore
import WeirRecords

@testable import WeirQueries

/// The tables of keys beside dictionaries and lists.
@Suite struct KeyTableTests {
    private static func key(_ generator: inout SeededGenerator, _ greatest: Int64) -> EventKey {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: EventKey(Int64.random(in: -3...3, using: &generator))
        case 1: EventKey([.min, .max, 255, 256, 65_535, 65_536].randomElement(using: &generator) ?? 0)
        case 2:
            encoded([.text(String(repeating: "k", count: Int.random(in: 0...20, using: &generator)))])
        case 3:
            encoded([.integer(Int64.random(in: 0...2, using: &generator)), .boolean(.random(using: &generator))])
        case 4: encoded([[.real(0.5), .missing, .boolean(true)].randomElement(using: &generator) ?? .missing])
        // As values come: the same key as that of the number.
        case 5: encoded([.integer(Int64.random(in: 0...greatest, using: &generator))])
        default: EventKey(Int64.random(in: 0...greatest, using: &generator))
        }
    }

    private static func encoded(_ values: [QueryValue]) -> EventKey {
        var bytes: [UInt8] = []
        for value in values { KeyEncoding.append(value, to: &bytes) }
        return EventKey(bytes)
    }

    /// A checkpoint may have been written by anyone, and a key with bits behind its bytes would equal no other.
    @Test func wordsOfAKeyHaveNothingBehindItsBytes() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for count in 0...15 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let key = EventKey(bytes)
            #expect(key.hasNothingBehindItsBytes && key.bytes == bytes, "seed \(seed), \(bytes)")
            for bit in count * 8..<120 {
                var words = key.words
                if bit < 64 { words.x ^= 1 << UInt64(63 - bit) } else { words.y ^= 1 << UInt64(127 - bit) }
                #expect(!EventKey(words, long: nil).hasNothingBehindItsBytes, "seed \(seed), \(bytes), bit \(bit)")
            }
        }
        for count in 16...255 as ClosedRange<UInt64> {
            #expect(!EventKey(SIMD2(0, count), long: nil).hasNothingBehindItsBytes)
        }
    }

    /// Numbers that few bytes hold, and those that come to be small while there are more keys.
    @Test(arguments: [20, 1_500, 30_000, 70_000, 1 << 40] as [Int64])
    func eachKeyHasItsPlace(greatest: Int64) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var table = KeyTable()
        var places: [EventKey: Int] = [:]
        // Fills and empties it in turn.
        for phase in 0..<6 {
            for _ in 0..<4_000 {
                let key = Self.key(&generator, greatest)
                let place = table.place(of: key)
                guard place == places[key] ?? -1 else {
                    Issue.record("seed \(seed): \(key) is at \(place), not at \(places[key] ?? -1)")
                    return
                }
                if place < 0 {
                    places[key] = table.add(key)
                } else if Int.random(in: 0..<10, using: &generator) < (phase % 2 == 0 ? 1 : 9) {
                    table.remove(at: place)
                    places[key] = nil
                }
                if phase % 2 == 1, let (key, place) = places.first {
                    table.remove(at: place)
                    places[key] = nil
                }
            }
            #expect(table.count == places.count, "seed \(seed)")
            #expect(Set(places.values).count == places.count, "seed \(seed)")
            for (key, place) in places {
                let (found, back) = (table.place(of: key), table.key(at: place))
                #expect(found == place && back == key, "seed \(seed)")
            }
        }
    }

    @Test func placesAreInTheOrderOfTheirTouches() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var recent = RecentPlaces()
        var expected: [(place: Int, time: Int64)] = []
        for time in 0..<Int64(5_000) {
            let place = Int.random(in: 0..<12, using: &generator)
            let old = expected.firstIndex { $0.place == place }
            if let old { expected.remove(at: old) }
            switch (old, Int.random(in: 0..<4, using: &generator)) {
            case (nil, _):
                recent.add(place, at: time)
                expected.append((place, time))
            case (_, 0): recent.remove(place)
            default:
                recent.touch(place, at: time)
                expected.append((place, time))
            }
            var found: [Int] = []
            recent.forEach { found.append($0) }
            #expect(found == expected.map(\.place), "seed \(seed)")
            #expect(recent.oldest == Int32(expected.first?.place ?? -1), "seed \(seed)")
            for (place, time) in expected { #expect(recent.time(of: place) == time && recent.contains(place)) }
        }
    }
}
