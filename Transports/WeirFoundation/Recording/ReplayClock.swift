internal import Foundation
internal import Synchronization
public import WeirCore

/// What a replay takes its time from.
public protocol ReplayClock: TimeSource {
    /// Starts a replay: called once, before the first event.
    ///
    /// - Parameter recorded: When the first event was dispatched.
    /// - Returns: The time of this clock that stands for it.
    func begin(at recorded: Timestamp) -> Timestamp

    /// Returns when the time has come.
    ///
    /// - Parameter time: A time of this clock; never before that of an earlier call.
    func wait(until time: Timestamp)
}

/// Plays in real time, on the monotonic clock of the system.
public struct SystemReplayClock: ReplayClock {
    /// Creates the clock.
    public init() {}

    public func now() -> Timestamp { MonotonicClock().now() }

    public func begin(at recorded: Timestamp) -> Timestamp { now() }

    public func wait(until time: Timestamp) {
        while true {
            let left = (time - now()).wholeNanoseconds
            guard left > 0 else { return }
            Thread.sleep(forTimeInterval: Double(left) / 1e9)
        }
    }
}

/// Plays as fast as possible, in the time of the recording: waiting sets the clock.
///
/// Give it to the code under test as its time source, and it sees the times that it saw when the events were recorded.
public final class VirtualReplayClock: ReplayClock {
    private let time: Atomic<Int64>

    /// Creates the clock.
    ///
    /// - Parameter time: The time before the first event.
    public init(startingAt time: Timestamp = .epoch) {
        self.time = Atomic(time.nanosecondsSinceEpoch)
    }

    public func now() -> Timestamp { Timestamp(nanosecondsSinceEpoch: time.load(ordering: .relaxed)) }

    public func begin(at recorded: Timestamp) -> Timestamp {
        wait(until: recorded)
        return recorded
    }

    public func wait(until time: Timestamp) {
        self.time.store(time.nanosecondsSinceEpoch, ordering: .relaxed)
    }
}
