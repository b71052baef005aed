// The README's pattern, word for word: `ReadmeTests` compares the two.
import WeirCore
import WeirPatterns

struct Purchase: Event {
    let timestamp: Timestamp
    let card: String
    let isFaceToFace: Bool
    let meters: Double
}

func runReadmePattern(
    _ purchases: EventChannel<Purchase>,
    distance: @escaping @Sendable (Purchase, Purchase) -> Double,
    block: @escaping @Sendable (String) -> Void
) {
    // example begins
    let twoPlaces = Pattern<Purchase>
        .first { $0.isFaceToFace }
        .followedBy { $0.isFaceToFace }
        .filter { first, second in distance(first, second) > 500_000 }
        .within(.seconds(600))
        .grouped(by: \.card)
    purchases.matches(of: twoPlaces).subscribe { (first, second) in block(second.card) }
    // example ends
}
