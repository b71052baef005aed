import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func fourStages(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        // error: expects 3 arguments, but 2 were used
        .followedBy { $0.kind == 3 }.filter { a, c in c.card == a.card }
        .next { $0.amount > 500 }
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}
