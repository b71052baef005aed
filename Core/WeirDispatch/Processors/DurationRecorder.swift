internal import Synchronization

/// Counts durations by powers of two; written by one thread, read by any.
@safe
final class DurationRecorder: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the memory holds atomics, and lives as long as the recorder.

    private static let places = 63
    private let counts: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe counts = .allocate(capacity: Self.places)
        for place in 0..<Self.places {
            unsafe (counts + place).initialize(to: Atomic(0))
        }
    }

    deinit {
        unsafe counts.deinitialize(count: Self.places)
        unsafe counts.deallocate()
    }

    func record(nanoseconds: Int64) {
        let place = nanoseconds <= 1 ? 0 : 62 - nanoseconds.leadingZeroBitCount + 1
        // One thread writes: a plain addition, published by an atomic store.
        let count = unsafe counts[place].load(ordering: .relaxed)
        unsafe counts[place].store(count &+ 1, ordering: .relaxed)
    }

    var histogram: DurationHistogram {
        DurationHistogram(counts: (0..<Self.places).map { unsafe counts[$0].load(ordering: .relaxed) })
    }
}
