internal import WeirGeography
internal import WeirPatterns
internal import WeirRecords

/// What is suspicious, as two patterns over the purchases of a card.
struct FraudRules: Sendable {
    /// How soon the second of two purchases follows.
    var travelTime: Duration

    /// How far apart the two are, in metres: farther than a person travels in that time.
    var distance: Double

    /// How many small purchases try a card.
    var trials: Int

    /// What is small at most, and what is large at least.
    var small, large: Double

    /// How long the trials and the large purchase take together.
    var trialTime: Duration

    /// How long a purchase can be of interest.
    var longestTime: Duration { max(travelTime, trialTime) }

    /// A card is in two places: two face-to-face purchases within a time and farther apart than one can travel in it.
    var twoPlaces: some EventPattern<Purchase, (Purchase, Purchase)> {
        Pattern<Purchase>
            .first(named: "first") { $0.isFaceToFace && $0.position != nil }
            .followedBy(named: "far away") { $0.isFaceToFace && $0.position != nil }
            .filter { [distance] first, purchase in
                guard let from = first.position, let to = purchase.position else { return false }
                // Many purchases of a card are made in one shop, and distances take time.
                return from != to && from.distance(to: to) > distance
            }
            .within(travelTime)
            .grouped(by: \.card)
    }

    /// A stolen card is tried out: several small purchases, then a large one.
    var trial: some EventPattern<Purchase, ([Purchase], Purchase)> {
        Pattern<Purchase>
            .first(named: "small") { [small] in $0.amount <= small }.times(trials)
            .followedBy(named: "large") { [large] in $0.amount >= large }
            .within(trialTime)
            .afterMatch(.skipPastLast)
            .grouped(by: \.card)
    }
}
