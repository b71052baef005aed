internal import CommonStream
internal import Synchronization

/// Where a sink leaves its tally at the end.
final class TallyResult: Sendable {
    private let value = Mutex(Tally())

    var tally: Tally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
