import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func fourStages(_ purchases: EventChannel<Purchase>) {
    // error: patterns have next, followedBy,
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        .folowedBy { $0.kind == 3 }
        .next { $0.amount > 500 }
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}
