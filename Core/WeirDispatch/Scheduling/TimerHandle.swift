public import CWeir

/// Names one timer of one queue.
///
/// A handle whose timer has fired or was cancelled is recognised as stale for ever, since handles are never reused. A
/// handle is of no use with another queue than its own.
@frozen
public struct TimerHandle: Sendable, Hashable {
    @usableFromInline var slot: UInt32
    @usableFromInline var sequence: UInt64

    @inlinable
    init(_ timer: cweir_timer_t) {
        slot = timer.slot
        sequence = timer.sequence
    }

    @inlinable var timer: cweir_timer_t { cweir_timer_t(sequence: sequence, slot: slot) }
}
