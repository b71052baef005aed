internal import WeirCore
internal import WeirRecords

/// Made-up purchases to try the plugin with: a day of forty cards, of which one is used in two places at once, and one is
/// tried out with small amounts.
enum FraudDemo {
    private static let cities = [
        (52.52, 13.405), (48.857, 2.352), (51.507, -0.128), (40.713, -74.006), (35.69, 139.692),
    ]

    /// CSV with the columns `time` (milliseconds since the epoch), `card`, `amount`, `latitude`, `longitude` and
    /// `face-to-face`.
    static func source(seed: UInt64) -> any TransportSource {
        var random = SeededGenerator(seed: seed)
        var purchases: [(time: Int, card: Int, amount: Double, city: Int, isFaceToFace: Bool)] = []
        for card in 0..<40 {
            // Everybody stays in the own city, and now and then buys something from home.
            let city = Int(random.next() % UInt64(cities.count))
            for _ in 0..<6 {
                let time = Int(random.next() % 86_400)
                let amount = 5 + 80 * random.nextUnit()
                purchases.append((time, card, amount, city, random.nextUnit() < 0.8))
            }
        }
        // The copy of card 7 is used where its owner cannot be.
        purchases.append((43_200, 7, 35.9, 0, true))
        purchases.append((43_500, 7, 420, 3, true))
        // Card 23 is tried out over the network, and then emptied.
        for (index, amount) in [1.0, 1.5, 0.99, 899].enumerated() {
            purchases.append((61_200 + 120 * index, 23, amount, 1, false))
        }
        purchases.sort { ($0.time, $0.card) < ($1.time, $1.card) }
        var rows = "time,card,amount,latitude,longitude,face-to-face\n"
        for purchase in purchases {
            let (latitude, longitude) = cities[purchase.city]
            let amount = (purchase.amount * 100).rounded() / 100
            rows += "\(1_767_225_600 + purchase.time)000,card-\(purchase.card),\(amount),"
            rows += purchase.isFaceToFace ? "\(latitude),\(longitude),true\n" : ",,false\n"
        }
        return ByteSource(Array(rows.utf8))
    }
}
