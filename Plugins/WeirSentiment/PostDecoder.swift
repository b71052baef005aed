internal import WeirCore
internal import WeirRecords

/// Reads posts: the JSON of Twitter's interface in version 1.1, or any fields that are named.
struct PostDecoder: EventDecoder {
    enum Key: Int, FieldKey {
        case time, text, fullText, followers, id, retweet, retweeted
    }

    /// Whether posts that only repeat another one are left out.
    let leavesOutRetweets: Bool

    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Candidate {
        let time = try record.timestamp(.time)
        let text = try record.string(record.isPresent(.fullText) ? .fullText : .text)
        let followers = record.isPresent(.followers) ? try record.double(.followers) : 0
        guard followers >= 0 else { throw FieldError(Key.followers, .unacceptable("is below 0")) }
        let id = record.isPresent(.id) ? try record.string(.id) : ""
        let isRetweet = try isRetweet(record, text)
        return Candidate(
            post: Post(timestamp: time, text: text, followers: followers, id: id),
            isWanted: !(leavesOutRetweets && isRetweet)
        )
    }

    /// Nothing: each post is read for itself.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }

    /// A post is a retweet where a field says so, where it holds the post that it repeats, or by its first words.
    private func isRetweet(_ record: borrowing FieldReader<Key>, _ text: String) throws(FieldError) -> Bool {
        if record.isPresent(.retweeted) { return true }
        if record.isPresent(.retweet), try record.boolean(.retweet) { return true }
        return text.hasPrefix("RT @")
    }

    /// A post that was read, before it is decided whether it counts.
    struct Candidate: Event {
        let post: Post
        let isWanted: Bool

        var timestamp: Timestamp { post.timestamp }
    }
}
