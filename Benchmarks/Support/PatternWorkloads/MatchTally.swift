internal import Synchronization

/// How many matches there were, and a number that depends on all of them: 31 times the time of the first event, 17 times
/// those in the middle, and that of the last, in milliseconds, added up.
struct MatchTally: Sendable, Equatable {
    var count = 0
    var checksum: UInt64 = 0

    /// Traps unless this is what it should be.
    ///
    /// - Parameter reference: What it should be.
    func check(against reference: MatchTally) {
        // Unlike a precondition, it says so in release mode too.
        guard self == reference else { fatalError("the result is wrong: \(self) instead of \(reference)") }
    }
}

/// Where an output leaves its tally at the end.
final class MatchResult: Sendable {
    private let value = Mutex(MatchTally())

    var tally: MatchTally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
