internal import WeirCore
internal import WeirRecords

/// Made-up logins: now and then five fail before one succeeds.
enum QueryDemo {
    /// CSV with the columns `time` (milliseconds since the epoch), `event_type`, `user` and `outcome`.
    static func source(seed: UInt64) -> any TransportSource {
        var random = SeededGenerator(seed: seed)
        var text = "time,event_type,user,outcome\n"
        var time: UInt64 = 1_700_000_000_000
        for _ in 0..<2_000 {
            time += random.next() % 4_000
            let user = "user\(random.next() % 20)"
            let failures = random.next() % 40 == 0 ? 5 : random.next() % 2
            for _ in 0..<failures {
                text += "\(time),login,\(user),failure\n"
                time += random.next() % 2_000
            }
            text += "\(time),login,\(user),success\n"
        }
        return ByteSource(Array(text.utf8))
    }
}
