internal import WeirCore
internal import WeirGeography
internal import WeirRecords

/// Why a card is suspicious, with the purchases that show it.
struct Suspicion: Event, FieldEncodable {
    enum Rule: String {
        case twoPlaces = "two places"
        case trial
    }

    let rule: Rule
    let purchases: [Purchase]
    let card: String
    let timeForm: TimeForm

    /// The time of the last purchase.
    var timestamp: Timestamp { purchases.last?.timestamp ?? .distantPast }

    func encode(to writer: inout FieldWriter) {
        writer.write("time", timestamp, as: timeForm)
        writer.write("card", card)
        writer.write("rule", rule.rawValue)
        writer.write("amount", purchases.last?.amount ?? 0)
        if rule == .twoPlaces, let from = purchases.first?.position, let to = purchases.last?.position {
            writer.write("kilometres", (from.distance(to: to) / 100).rounded() / 10)
        }
        writer.write("purchases", purchases) { purchase, writer in
            writer.write("time", purchase.timestamp, as: timeForm)
            writer.write("amount", purchase.amount)
            if let position = purchase.position {
                writer.write("latitude", position.latitude)
                writer.write("longitude", position.longitude)
            }
        }
    }
}
