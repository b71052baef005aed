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
        .followedBy { $0.amount < 20 }.filter { a, b in b.card == a.card }
        // error: has no member 'crad'
        .followedBy { $0.kind == 3 }.filter { a, b, c in c.crad == a.card && c.amount > b.amount }
        .next { $0.amount > 500 }.filter { a, b, c, d in d.card == a.card }
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}
