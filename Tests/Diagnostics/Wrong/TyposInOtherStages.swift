import Weir

struct Purchase: Event {
    var timestamp: Timestamp
    var card: Int
    var amount: Double
    var kind: Int
    var isFaceToFace: Bool
}

func groups(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy.group(
            Pattern<Purchase>
                .first { $0.amount < 20 }
                // error: has no member 'amuont'
                .next { $0.amuont < 20 }
        )
        .followedBy { $0.kind == 3 && $0.amount > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func anyOrder(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        // error: has no member 'amuont'
        .followedBy.allOf({ $0.amount < 20 }, { $0.amuont < 30 })
        .followedBy { $0.kind == 3 && $0.amount > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func ends(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }.times(2...)
        // error: has no member 'amuont'
        .until { $0.amuont > 30 }
        .followedBy { $0.kind == 3 && $0.amount > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func absences(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        // error: has no member 'knid'
        .notFollowedBy { $0.knid == 4 }
        .followedBy { $0.kind == 3 && $0.amount > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func optionals(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        // error: has no member 'amuont'
        .followedBy { $0.amuont < 20 }.optional()
        .followedBy { $0.kind == 3 && $0.amount > 10 }.times(2)
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func filters(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        .followedBy { $0.kind == 3 && $0.amount > 10 }.filter { first, second, third in
            // error: has no member 'crad'
            first.card == third.crad
        }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func rows(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        // error: has no dynamic member 'amuont'
        .followedBy.where { $0.amuont > 10 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func keys(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        .followedBy { $0.kind == 3 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
        // error: has no member 'crad'
        .grouped(by: { $0.crad })
    purchases.matches(of: pattern).subscribe { match in print(match.3.card) }
}

func matches(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy { $0.amount < 20 }
        .followedBy { $0.kind == 3 }
        .next { $0.amount > 500 }
        .within(.minutes(10))
    // error: has no member 'crad'
    purchases.matches(of: pattern).map { $0.3.crad }.subscribe { match in print(match) }
}

func alternatives(_ purchases: EventChannel<Purchase>) {
    let pattern = Pattern<Purchase>
        .first { $0.amount < 10 }
        .followedBy.either(
            Pattern<Purchase>.first { $0.amount < 20 }.next { $0.kind == 1 },
            // error: has no member 'knid'
            Pattern<Purchase>.first { $0.knid == 3 }
        )
        .next { $0.amount > 500 }
        .within(.minutes(10))
    purchases.matches(of: pattern).subscribe { match in print(match.2.card) }
}
