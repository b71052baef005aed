internal import CWeirSockets
internal import WeirCore
package import WeirRecords

/// Wakes a thread that waits for descriptors.
///
/// Thread safety: one thread waits and quiets it, any thread rings. What rings before the wait ends it at once.
@safe
package final class Wakeup: Sendable {
    /// Readable once the wake-up was rung.
    package let descriptor: Int32

    private let bell: Int32

    /// Creates a wake-up.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    package init(address: String) throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        if let error = unsafe SystemError(cweir_net_make_pipe(&ends)) {
            throw .cannotOpen(address: address, reason: "\(error)")
        }
        descriptor = ends[0]
        bell = ends[1]
    }

    deinit {
        cweir_net_close(descriptor)
        cweir_net_close(bell)
    }

    /// Ends the wait, or the next one.
    package func ring() {
        cweir_net_ring(bell)
    }

    /// Makes it quiet again, so that the next wait waits.
    package func quiet() {
        cweir_net_quiet(descriptor)
    }

    /// Waits until the wake-up is rung, or another descriptor is readable.
    ///
    /// - Parameters:
    ///   - other: The other descriptor, if there is one.
    ///   - milliseconds: How long at most; for ever where it is negative.
    package func wait(or other: Int32? = nil, milliseconds: Int32 = -1) {
        if cweir_net_wait(descriptor, other ?? -1, milliseconds) & 1 != 0 { quiet() }
    }
}
