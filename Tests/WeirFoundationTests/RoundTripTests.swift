import Foundation
import TestRecordings
import Testing
import WeirCore
import WeirFoundation
import WeirRecording
import WeirTesting

@Suite struct RoundTripTests {
    @Test func keepsEventsTimesAndPriorities() throws {
        let storage = MemoryStorage()
        let first = Reading(timestamp: second(1), sensor: "attic", celsius: 31.5)
        let second = Tick(timestamp: .distantFuture, number: -7)
        try record(into: storage) { recorder in
            try recorder.record(first, priority: .highest, dispatchedAt: .distantPast)
            try recorder.record(second, priority: .lowest)
            try recorder.record(first)
            #expect(recorder.recordedCount == 3)
        }
        let found = Found(storage.bytes)
        #expect(found.error == nil)
        #expect(found.events.map(\.typeName) == [Reading.self, Tick.self, Reading.self].map { String(reflecting: $0) })
        #expect(found.events.map(\.eventTime) == [first.timestamp, second.timestamp, first.timestamp])
        #expect(found.events.map(\.dispatchTime) == [.distantPast, StillClock().now(), StillClock().now()])
        #expect(found.events.map(\.priority) == [.highest, .lowest, .normal])
        #expect(try found.events[0].decode(Reading.self) == first)
        #expect(try found.events[1].decode(Tick.self) == second)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func keepsRandomValues(seed: UInt64) throws {
        print("WeirRecording: random values, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let values = (0..<500).map { _ in Everything.random(using: &generator) }
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            for value in values { try recorder.record(value) }
        }
        let found = Found(storage.bytes)
        #expect(found.events.count == values.count)
        for (event, value) in zip(found.events, values) {
            let decoded = try event.decode(Everything.self)
            if decoded != value { Issue.record("\(value) became \(decoded), seed \(seed)") }
        }
    }

    @Test func saysKeysOnce() throws {
        let bytes = try ticks(0..<100)
        let occurrences = bytes.indices.filter { bytes[$0...].starts(with: Array("number".utf8)) }
        #expect(occurrences.count == 1)
    }

    @Test func dictionariesMayHaveAnyNumberOfKeys() throws {
        struct Bag: Event, Codable, Equatable {
            var timestamp: Timestamp
            var counts: [String: Int]
        }
        let bags = (0..<60).map { round in
            Bag(
                timestamp: second(round),
                counts: Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \(round) \($0)", $0) })
            )
        }
        let long = Bag(timestamp: .epoch, counts: [String(repeating: "k", count: 5000): 1, "": 2])
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            for bag in bags + [long] { try recorder.record(bag) }
        }
        #expect(try Found(storage.bytes).events.map { try $0.decode(Bag.self) } == bags + [long])
    }

    /// A type that writes to several containers by turns, and its base class.
    class Base: Codable {
        var name = "base"

        init() {}
    }

    final class Interleaved: Base, Event, @unchecked Sendable {
        enum Keys: CodingKey { case timestamp, list, inner, after, parent }

        let timestamp: Timestamp
        var list: [Int] = []
        var inner: [String: String] = [:]
        var after = 0

        init(at time: Timestamp) {
            timestamp = time
            super.init()
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            timestamp = try container.decode(Timestamp.self, forKey: .timestamp)
            var elements = try container.nestedUnkeyedContainer(forKey: .list)
            while !elements.isAtEnd { list.append(try elements.decode(Int.self)) }
            #expect(elements.count == list.count)
            let innerContainer = try container.nestedContainer(keyedBy: BodyTestKey.self, forKey: .inner)
            for key in innerContainer.allKeys {
                inner[key.stringValue] = try innerContainer.decode(String.self, forKey: key)
            }
            after = try container.decode(Int.self, forKey: .after)
            try super.init(from: container.superDecoder(forKey: .parent))
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var elements = container.nestedUnkeyedContainer(forKey: .list)
            try elements.encode(1)
            var innerContainer = container.nestedContainer(keyedBy: BodyTestKey.self, forKey: .inner)
            try innerContainer.encode("x", forKey: BodyTestKey(stringValue: "a"))
            try elements.encode(2)
            try container.encode(timestamp, forKey: .timestamp)
            let parent = container.superEncoder(forKey: .parent)
            try elements.encode(300)
            try innerContainer.encode("y", forKey: BodyTestKey(stringValue: "b"))
            try container.encode(after, forKey: .after)
            try super.encode(to: parent)
            #expect(elements.count == 3)
        }
    }

    @Test func containersMayBeWrittenByTurns() throws {
        let storage = MemoryStorage()
        let event = Interleaved(at: second(9))
        event.name = "changed"
        event.after = 1_000_000
        try record(into: storage) { try $0.record(event) }
        let decoded = try #require(Found(storage.bytes).events.first).decode(Interleaved.self)
        #expect(decoded.timestamp == event.timestamp)
        #expect(decoded.list == [1, 2, 300])
        #expect(decoded.inner == ["a": "x", "b": "y"])
        #expect(decoded.after == 1_000_000)
        #expect(decoded.name == "changed")
    }

    @Test func typesMayGrow() throws {
        struct Old: Event, Codable {
            var timestamp: Timestamp
            var count: Int8
            var ratio: Float
            var dropped: [Int]
        }
        struct New: Event, Codable {
            var timestamp: Timestamp
            var ratio: Double
            var count: Int
            var added: String?
        }
        let storage = MemoryStorage()
        try record(into: storage) { try $0.record(Old(timestamp: .epoch, count: -3, ratio: 0.5, dropped: [1, 2])) }
        let event = try #require(Found(storage.bytes).events.first)
        let new = try event.decode(New.self)
        #expect(new.count == -3)
        #expect(new.ratio == 0.5)
        #expect(new.added == nil)
        #expect(throws: DecodingError.self) { try event.decode(Tick.self) }
        #expect(throws: DecodingError.self) { try event.decode([Int].self) }
    }

    @Test func refusesEventsThatCannotBeEncoded() throws {
        struct Failing: Event, Codable {
            struct Failure: Error {}
            var timestamp: Timestamp { .epoch }
            init() {}
            init(from decoder: any Decoder) throws { self.init() }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: BodyTestKey.self)
                try container.encode(1, forKey: BodyTestKey(stringValue: "half"))
                throw Failure()
            }
        }
        struct Deep: Event, Codable {
            indirect enum List: Codable, Sendable { case end, next(List) }
            var timestamp: Timestamp { .epoch }
            var list: List
        }
        struct Large: Event, Codable {
            var timestamp: Timestamp { .epoch }
            var data: Data
        }
        var list = Deep.List.end
        for _ in 0..<10_000 { list = .next(list) }
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            try recorder.record(Tick(timestamp: .epoch, number: 1))
            #expect(throws: RecordingError.self) { try recorder.record(Failing()) }
            #expect(throws: RecordingError.self) { try recorder.record(Deep(list: list)) }
            #expect(throws: RecordingError.self) { try recorder.record(Large(data: Data(count: 17 << 20))) }
            try recorder.record(Tick(timestamp: .epoch, number: 2))
            #expect(recorder.recordedCount == 2)
        }
        let found = Found(storage.bytes)
        #expect(found.error == nil)
        #expect(try found.ticks() == [1, 2])
        // The list is torn down piece by piece: its own deinit recurses.
        while case .next(let rest) = list { list = rest }
    }

    @Test func namesAreChosenOnce() throws {
        let storage = MemoryStorage()
        try record(into: storage) { recorder in
            try recorder.register(Tick.self, named: "tick")
            try recorder.register(Tick.self, named: "tick")
            #expect(throws: RecordingError.nameTaken("tick")) { try recorder.register(Reading.self, named: "tick") }
            try recorder.record(Tick(timestamp: .epoch, number: 1))
        }
        #expect(Found(storage.bytes).events.map(\.typeName) == ["tick"])
    }
}

struct BodyTestKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
