internal import CommonStream

/// A million rows for a plugin, the same in every run.
enum PluginTable: String, CaseIterable, Sendable {
    case shake, walk, sentiment, fraud

    static let rowCount = 1_000_000

    /// Rows of the plugin's default columns.
    func csv(rowCount: Int) -> [UInt8] {
        var random = SplitMix64(seed: 7)
        var text = header
        var steps = 0
        for index in 0..<rowCount {
            let draw = random.next()
            /// A number below a bound, from eight or more bits of the draw.
            func number(_ shift: UInt64, below bound: UInt64) -> Int { Int((draw >> shift & 0xFFFF) % bound) }
            switch self {
            case .shake:
                let swing = index % 5_000 < 20 && index % 2 == 0 ? 2 : 0
                text += "\(index * 20),\(swing).\(number(0, below: 100)),0.\(number(16, below: 100)),1\n"
            case .walk:
                let walks = index / 3_000 % 2 == 1
                if walks { steps += 1 }
                text += "\(index * 500),\(steps),\(walks ? 1 : 0).\(10 + number(0, below: 20)),5\n"
            case .sentiment:
                let texts = Self.posts
                text +=
                    "\(index * 400),\(number(0, below: 5_000)),\"\(texts[number(16, below: UInt64(texts.count))])\"\n"
            case .fraud:
                // A card is used twice an hour, mostly in one town; a quarter of the amounts are small.
                let card = number(0, below: 20_000)
                let kind = number(16, below: 40)
                let amount = kind == 0 ? 600 : kind % 4 == 0 ? 2 : 6 + number(32, below: 120)
                let latitude = number(48, below: 200) == 0 ? 5 : 48 + card % 9
                text += "\(index * 100),card-\(card),\(amount).50,\(latitude).5,11\n"
            }
        }
        return Array(text.utf8)
    }

    /// The names of its columns.
    var columns: [String] { header.dropLast().split(separator: ",").map(String.init) }

    private var header: String {
        switch self {
        case .shake: "time,x,y,z\n"
        case .walk: "time,steps,speed,accuracy\n"
        case .sentiment: "created_at,user.followers_count,text\n"
        case .fraud: "time,card,amount,latitude,longitude\n"
        }
    }

    private static let posts = [
        "I love the new Apple store", "$GOOG just works, great", "Best phone ever, thanks Apple!",
        "Google maps sent me into a lake, useless", "has anybody tried $AAPL?", "nothing about it at all today",
    ]
}
