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
        .first.where { $0.amount < 10 }
        .followedBy.where { $0.amount < 20 }.on { a, b in b.card == a.card }
        // error: 'amuont'
        .followedBy.where { $0.kind == 3 }.on { a, b, c in c.amuont > b.amount }
        .next.where { $0.amount > 500 }
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}
