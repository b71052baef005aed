import Foundation
import Synchronization
import WeirCore
import WeirExpressions
import WeirPatternDefinitions
import WeirPatterns
import WeirSchemas

/// An event of a peer's test suite.
struct PeerEvent: Event, Codable {
    let id: Int64
    let name: String
    let price: Double
    let volume: Double
    let sub: Bool
    let ts: Int64
    // The position in the case; not part of the file.
    var index = -1

    enum CodingKeys: CodingKey {
        case id, name, price, volume, sub, ts
    }

    var timestamp: Timestamp { Timestamp(millisecondsSinceEpoch: ts) }

    /// How the expectations name it.
    var key: String { "\(id)/\(name)/\(Self.text(price))" + (sub ? "/\(Self.text(volume))" : "") }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    static let schema = EventSchema<PeerEvent>(
        "event",
        .field("id", \.id),
        .field("name", \.name),
        .field("price", \.price),
        .field("volume", \.volume),
        .field("sub", \.subNumber),
        .field("ts", \.ts)
    )

    private var subNumber: Int64 { sub ? 1 : 0 }
}

/// A case of a peer's test suite: a definition, events, and what is to be found.
struct PeerCase: Decodable {
    struct Timeout: Decodable, Hashable {
        let match: [String: [String]]
        let ts: Int64
    }

    let id: String
    let definition: PatternDefinition
    let events: [PeerEvent]
    // The watermark after the last event, and watermarks after the event of a position.
    let advance: Int64?
    let watermarks: [[Int64]]?

    let expected: [[Name]]?
    let expectedIds: [[Int64]]?
    let expectedCount: Int?
    let timeouts: [Timeout]?
    let timeoutStarts: [String]?
    let pending: [[String: [String]]]?
    let noPartials: Bool?
    let expectException: Bool?
    let expectInvalid: Bool?
    let once: Bool?

    /// An event by its key, or by its position.
    enum Name: Decodable, Hashable, Comparable, CustomStringConvertible {
        case key(String)
        case index(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self =
                if let index = try? container.decode(Int.self) { .index(index) } else {
                    .key(try container.decode(String.self))
                }
        }

        var description: String {
            switch self {
            case .key(let key): key
            case .index(let index): "\(index)"
            }
        }
    }
}

/// What the engine found.
struct PeerRun {
    struct Match {
        let stages: [String: [PeerEvent]]
        // Whether time alone completed it.
        let isPending: Bool

        var events: [PeerEvent] { stages.values.flatMap(\.self).sorted { $0.index < $1.index } }
    }

    var matches: [Match] = []
    var timeouts: [(match: [String: [PeerEvent]], time: Int64)] = []
    var partials = 0
    var strategy = StrategyChoice.runs
    var failure: String?

    init() {}

    init(_ test: PeerCase, _ pattern: DynamicPattern<PeerEvent>, _ strategy: StrategyChoice) {
        let found = Mutex(PeerRun())
        let isPending = Mutex(true)
        let feed = Feed<PeerEvent>()
        let order: ArrivalOrder = test.watermarks == nil ? .inOrder : .byWatermark
        let matches = feed.matches(of: pattern, PatternSettings(order: order, strategy: strategy))
        let captures = pattern.plan.captures
        matches.timeouts.subscribeWithTime { partial, time in
            let match = Self.stages(captures) { partial[$0] }
            found.withLock { $0.timeouts.append((match, time.nanosecondsSinceEpoch / 1_000_000)) }
        }
        matches.subscribeWithTime { match, _ in
            let match = Match(stages: Self.stages(captures) { match[$0] }, isPending: isPending.withLock { $0 })
            found.withLock { $0.matches.append(match) }
        } onCompletion: { completion in
            if case .failed(let error) = completion { found.withLock { $0.failure = "\(error)" } }
        }
        func advance(past milliseconds: Int64) {
            let time = Timestamp(millisecondsSinceEpoch: milliseconds).nanosecondsSinceEpoch
            feed.advance(to: Timestamp(nanosecondsSinceEpoch: time + 1))
        }
        for (index, event) in test.events.enumerated() {
            var event = event
            event.index = index
            if order == .inOrder {
                isPending.withLock { $0 = true }
                feed.advance(to: event.timestamp)
            }
            isPending.withLock { $0 = false }
            feed.send(event, at: event.timestamp)
            for watermark in test.watermarks ?? [] where watermark[0] == index { advance(past: watermark[1]) }
        }
        if let last = test.advance {
            isPending.withLock { $0 = true }
            feed.advance(to: Timestamp(millisecondsSinceEpoch: last))
        }
        let partials = matches.partialMatches.value
        isPending.withLock { $0 = true }
        feed.finish()
        self = found.withLock { $0 }
        self.partials = partials
        self.strategy = strategy
    }

    private static func stages(_ captures: [String], _ events: (String) -> [PeerEvent]) -> [String: [PeerEvent]] {
        Dictionary(uniqueKeysWithValues: captures.map { ($0, events($0)) }.filter { !$1.isEmpty })
    }
}
