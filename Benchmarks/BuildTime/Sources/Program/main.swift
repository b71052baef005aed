// A program of 100 lines, as a newcomer writes it: events, patterns with captures and conditions, an output.
import WeirCore
import WeirPatterns

struct Purchase: Event {
    enum Place: Sendable {
        case shop, web, machine
    }

    let timestamp: Timestamp
    let card: Int
    let cents: Int
    let place: Place
    let kilometers: Double
}

/// Says what was found, and counts it.
final class Alarms: Sendable {
    private let counts = Locked<[String: Int]>([:])

    func raise(_ kind: String, _ card: Int, _ text: String) {
        counts.withLock { $0[kind, default: 0] += 1 }
        print("\(kind): card \(card), \(text)")
    }

    func summary() -> String {
        let counts = counts.withLock { $0 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}

let purchases = EventChannel<Purchase>()
let alarms = Alarms()

// Two places that are too far from each other.
let twoPlaces = Pattern<Purchase>
    .first { $0.place == .shop }
    .followedBy { $0.place == .shop }
    .filter { first, second in abs(first.kilometers - second.kilometers) > 500 }
    .within(.seconds(600))
    .grouped(by: \.card)
purchases.matches(of: twoPlaces).subscribe { (first, second) in
    alarms.raise("two places", second.card, "\(abs(first.kilometers - second.kilometers)) km apart")
}

// Small amounts to try a card, and then a large one.
let trial = Pattern<Purchase>
    .first { $0.cents < 500 }.times(3...)
    .followedBy { $0.cents > 50_000 }
    .within(.seconds(3600))
    .grouped(by: \.card)
purchases.matches(of: trial).subscribe { (small, large) in
    alarms.raise("trial", large.card, "\(small.count) small amounts before \(large.cents / 100)")
}

// Each amount larger than the one before.
let climbing = Pattern<Purchase>
    .first { $0.place == .machine }
    .next { $0.place == .machine }
    .next { $0.place == .machine }
    .filter { first, second, third in first.cents < second.cents && second.cents < third.cents }
    .within(.seconds(300))
    .grouped(by: \.card)
purchases.matches(of: climbing).subscribe { (first, _, third) in
    alarms.raise("climbing", third.card, "from \(first.cents / 100) to \(third.cents / 100)")
}

// A purchase on the web that no other one follows for a day.
let lonely = Pattern<Purchase>
    .first { $0.place == .web && $0.cents > 100_000 }
    .notFollowedBy { $0.place != .machine }
    .within(.seconds(86_400))
    .grouped(by: \.card)
purchases.matches(of: lonely).subscribe { first in
    alarms.raise("lonely", first.card, "\(first.cents / 100) on the web")
}

/// Numbers that look random, and are the same each time.
struct Numbers {
    var state: UInt64 = 1

    mutating func next(_ limit: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % limit)
    }
}

var numbers = Numbers()
for second in 0..<20_000 {
    let places: [Purchase.Place] = [.shop, .web, .machine]
    let purchase = Purchase(
        timestamp: .epoch + .seconds(second),
        card: numbers.next(200),
        cents: numbers.next(20) == 0 ? 60_000 + numbers.next(60_000) : numbers.next(4_000),
        place: places[numbers.next(3)],
        kilometers: Double(numbers.next(600))
    )
    purchases.publish(purchase)
}
purchases.finish()
print(alarms.summary())
