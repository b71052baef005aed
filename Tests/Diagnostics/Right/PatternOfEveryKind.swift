import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func everyKind(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.isFaceToFace }
        .followedBy.where { $0.amount < 10 }.on { first, small in small.card == first.card }.times(3...).greedy()
        .followedBy(within: .minutes(3)) { $0.kind == 3 }.optional()
        .notFollowedBy { $0.kind == 4 }
        .followedBy { $0.amount > 500 }.filter { first, small, reminder, last in
            last.amount > 100 * (small.first?.amount ?? 0) && reminder?.card != first.card
        }
        .within(.hours(1))
        .grouped(by: \.card)
    purchases.matches(of: pattern).subscribe { first, small, reminder, last in
        print(first.card, small.count, reminder?.amount ?? 0, last.amount)
    }
}
