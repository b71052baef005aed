internal import Synchronization

/// How many matches there were, and a number that depends on all of them: 31 times the time of the first event, 17 times
/// those in the middle, and that of the last, in milliseconds, added up.
struct MatchTally: Sendable, Equatable {
    var count = 0
    var checksum: UInt64 = 0
}

/// Where an output leaves its tally at the end.
final class MatchResult: Sendable {
    private let value = Mutex(MatchTally())

    var tally: MatchTally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
