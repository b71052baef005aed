import WeirSignals

/// Counts what expressions do.
final class Counter {
    var count = 0
}

/// A signal that is known only after others have been made.
final class Late {
    var signal: Signal<Int>?
}

/// Signals that another object may release.
final class Kept {
    var signals: [Signal<Int>] = []
}
