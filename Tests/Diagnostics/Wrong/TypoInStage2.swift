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
        // error: has no member 'amuont'
        .followedBy { $0.amuont < 20 }
        .followedBy { $0.kind == 3 && $0.amount > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}
