internal import CWeirSockets
internal import WeirCore
package import WeirRecords

/// What a descriptor is watched for, and what was found.
package struct PollEvents: OptionSet {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let reading = PollEvents(rawValue: UInt32(CWEIR_NET_READABLE))
    package static let writing = PollEvents(rawValue: UInt32(CWEIR_NET_WRITABLE))

    /// The end of both directions; included in all others.
    package static let hangUp = PollEvents(rawValue: UInt32(CWEIR_NET_HUNG_UP))
}

/// The descriptors that an event loop waits for.
///
/// Events are handed out one after the other, so that a loop may stop between them and go on later: with a new wait each
/// time, the first descriptors of a long list could keep the last ones from ever having their turn.
///
/// Thread safety: one thread at a time.
@safe
package final class Poller {
    // Safety: allocated in `init`, freed in `deinit`, and read only up to what the last wait filled.
    private let events: UnsafeMutablePointer<cweir_net_event_t>
    private let descriptor: Int32
    private var next = 0
    private var count = 0

    private static let capacity = 256

    /// Creates a list without descriptors.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    package init(address: String) throws(TransportError) {
        descriptor = cweir_net_poller_create()
        unsafe events = .allocate(capacity: Self.capacity)
        if let error = SystemError(descriptor) { throw .cannotOpen(address: address, reason: "\(error)") }
    }

    deinit {
        if descriptor >= 0 { cweir_net_close(descriptor) }
        unsafe events.deallocate()
    }

    /// Changes what a descriptor is watched for.
    ///
    /// - Returns: The error where the system refuses.
    package func watch(_ watched: Int32, token: UInt64, from old: PollEvents, to new: PollEvents) -> SystemError? {
        SystemError(cweir_net_poller_watch(descriptor, watched, token, old.rawValue, new.rawValue))
    }

    /// The next event; `nil` where all that were found have been handed out.
    package func nextEvent() -> (token: UInt64, ready: PollEvents)? {
        guard next < count else { return nil }
        let event = unsafe events[next]
        next += 1
        return (event.token, PollEvents(rawValue: event.ready))
    }

    /// Waits for events, unless there are some to be handed out.
    ///
    /// - Parameter milliseconds: How long at most; without a limit where it is negative.
    package func wait(milliseconds: Int32) {
        guard next == count else { return }
        next = 0
        count = max(0, Int(unsafe cweir_net_poller_wait(descriptor, events, Int32(Self.capacity), milliseconds)))
    }
}
