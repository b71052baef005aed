internal import WeirCore
internal import WeirRecords

/// Made-up posts to try the plugin with: an hour in which one brand does well, and the other has a bad half hour.
enum SentimentDemo {
    private static let praise = [
        "I love the new %@ store", "%@ just works, great", "Best phone ever, thanks %@!", "not bad at all, $%@ :)",
        "%@ support was helpful 👍",
    ]
    private static let blame = [
        "%@ maps sent me into a lake, useless", "I am so disappointed in %@", "$%@ drops again, what a mess",
        "not happy with my %@ 👎", "%@ is broken, third crash today",
    ]
    private static let neutral = ["%@ opens at nine", "watching the %@ event", "has anybody tried %@?"]

    /// CSV with the columns `created_at`, `id_str`, `user.followers_count` and `text`.
    static func source(seed: UInt64) -> any TransportSource {
        var random = SeededGenerator(seed: seed)
        var rows = "created_at,id_str,user.followers_count,text\n"
        for index in 0..<360 {
            let second = index * 10 + Int(random.next() % 10)
            let isApple = random.next() & 1 == 0
            let name = isApple ? ["Apple", "AAPL"] : ["Google", "GOOG"]
            // Of ten posts seven praise; in its bad half hour two do.
            let isBadTime = !isApple && (900..<2_700).contains(second)
            let mood = random.nextUnit()
            let texts = mood < 0.15 ? neutral : mood < (isBadTime ? 0.3 : 0.8) ? praise : blame
            let text = texts[Int(random.next() % UInt64(texts.count))]
            let parts = text.split(separator: "%@", omittingEmptySubsequences: false)
            let brand = parts[0].hasSuffix("$") ? name[1] : name[0]
            // Few have many followers.
            let followers = Int(10 / (random.nextUnit() + 0.001))
            let post = "\(parts[0])\(brand)\(parts[1])"
            rows += "\(1_700_000_000 + second)000,\(index + 1),\(followers),\"\(post)\"\n"
        }
        return ByteSource(Array(rows.utf8))
    }
}
