import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func eightStages(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }.filter { a, b in b.card == a.card && b.amount > a.amount }
        .followedBy { $0.kind == 3 }.filter { a, b, c in c.amount > 2 * b.amount - a.amount }
        .next { !$0.isFaceToFace }.filter { a, _, c, d in d.card == a.card && d.amount > c.amount }
        .followedBy { $0.kind == 5 }.filter { a, b, c, d, e in e.amount > a.amount + b.amount + c.amount + d.amount }
        .followedByAny { $0.kind == 6 }.filter { a, _, _, _, e, f in f.amount > e.amount && f.card == a.card }
        .followedBy { $0.kind == 7 }.filter { a, b, _, _, _, f, g in g.amount * 2 > f.amount + a.amount + b.amount }
        .followedBy { $0.amount > 100 }.filter { a, _, _, _, _, _, g, h in
            h.amount > 10 * g.amount && h.card == a.card
        }
        .within(.minutes(10))
    purchases.matches(of: pattern)
        .filter { a, _, _, _, _, _, _, h in h.amount > 100 * a.amount }
        .subscribe { match in print(match.0.card, match.7.amount - match.6.amount) }
}
