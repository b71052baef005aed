import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func eightExpressions(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first.where { $0.amount < 10 && $0.isFaceToFace }
        .followedBy.where { $0.amount < 20 }.on { a, b in b.card == a.card && b.amount > a.amount }
        .followedBy.where { $0.kind == 3 }.on { a, b, c in c.amount > 2 * b.amount }
        .next.where { $0.kind == 4 }.on { a, _, c, d in d.card == a.card && d.amount > c.amount }
        .followedBy.where { $0.kind == 5 }.on { a, _, _, d, e in e.amount > d.amount && e.card == a.card }
        .followedByAny.where { $0.kind == 6 }.on { a, _, _, _, e, f in f.amount > e.amount && f.card == a.card }
        .followedBy.where { $0.kind == 7 }.on { a, _, _, _, _, f, g in g.amount > f.amount && g.card == a.card }
        .followedBy.where { $0.amount > 100 }.on { a, _, _, _, _, _, g, h in
            h.amount > 10 * g.amount && h.card == a.card
        }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.0.card, match.7.amount) }
}
