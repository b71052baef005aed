internal import CWeir
package import WeirCore

/// Parks one thread until another one unparks it: without using the processor, and with a deadline.
///
/// The thread that waits calls `park(until:)` and then looks for work; any other provides work and then calls `unpark()`.
///
/// An unpark before the park makes the park return at once, and many count as one.
///
/// Thread safety: one thread parks, any thread unparks; what happened before the unpark is seen after the park.
@safe
package final class Parker: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the pointer never changes, and the C functions may be called from any thread.

    private let parking: UnsafeMutablePointer<cweir_parking_t>

    /// Creates a parker without a permit.
    package init() {
        guard let made = unsafe cweir_parking_create() else { preconditionFailure("there is no memory for a parker") }
        unsafe parking = made
    }

    deinit {
        unsafe cweir_parking_destroy(parking)
    }

    /// Sleeps until another thread unparks this one.
    ///
    /// - Returns: `false` when the deadline passed first.
    @discardableResult
    package func park(until deadline: Timestamp = .distantFuture) -> Bool {
        unsafe cweir_parker_park(parking, deadline.nanosecondsSinceEpoch)
    }

    /// Makes the current park return, or else the next one.
    package func unpark() {
        unsafe cweir_parker_unpark(parking)
    }

    /// How often the thread was sent to sleep.
    package var sleeps: UInt32 { unsafe cweir_parking_sleeps(parking) }

    /// How often it was woken.
    package var wakes: UInt32 { unsafe cweir_parking_wakes(parking) }
}
