public import Synchronization
public import WeirCore

/// The channels of a bus by the type of their events: an open-addressed table that channels are only added to.
///
/// A reader loads the key of a place with acquiring order and then may read the place's channel, which was written
/// before it. Places are never changed once they have a key, so readers neither wait nor count themselves. The bus
/// makes a table of twice the size when one is half full, and keeps the old ones: all together they take less than
/// the newest.
@safe
@usableFromInline
final class ChannelTable: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: see above; adding happens under the bus's lock.

    @usableFromInline let capacity: Int
    @usableFromInline let keys: UnsafeMutablePointer<Atomic<UInt>>
    @usableFromInline let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

    /// Creates an empty table.
    ///
    /// - Parameter capacity: A power of two; the table takes half as many channels.
    init(capacity: Int) {
        self.capacity = capacity
        unsafe keys = .allocate(capacity: capacity)
        unsafe channels = .allocate(capacity: capacity)
        for index in 0..<capacity {
            unsafe (keys + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        unsafe keys.deinitialize(count: capacity)
        unsafe keys.deallocate()
        unsafe channels.deallocate()
    }

    /// Adds a channel, which the bus keeps alive.
    func add(_ channel: any AnyEventChannel, of type: ObjectIdentifier) {
        let key = UInt(bitPattern: type)
        var index = start(key)
        while unsafe keys[index].load(ordering: .relaxed) != 0 { index = (index + 1) & (capacity - 1) }
        unsafe (channels + index).initialize(to: Unmanaged.passUnretained(channel as AnyObject).toOpaque())
        unsafe keys[index].store(key, ordering: .releasing)
    }

    /// Where the search for a key starts; metadata is aligned, so the low bits of its address say nothing.
    @inlinable
    func start(_ key: UInt) -> Int {
        Int(truncatingIfNeeded: (key >> 4) ^ (key >> 12)) & (capacity - 1)
    }

    /// Calls `body` with the channel of a type, if there is one, without retaining it.
    @inlinable
    func withChannel<E: Sendable>(of type: E.Type, _ body: (EventChannel<E>) -> Void) -> Bool {
        let wanted = UInt(bitPattern: ObjectIdentifier(type))
        var index = start(wanted)
        while true {
            let key = unsafe keys[index].load(ordering: .acquiring)
            if key == wanted {
                unsafe Unmanaged<EventChannel<E>>.fromOpaque(channels[index])._withUnsafeGuaranteedRef(body)
                return true
            }
            if key == 0 { return false }
            index = (index + 1) & (capacity - 1)
        }
    }
}

/// A channel of whatever events.
@usableFromInline
protocol AnyEventChannel: AnyObject, Sendable {
    var eventType: any Sendable.Type { get }
    var metrics: ChannelMetrics { get }
    func addTap(_ tap: @escaping @Sendable (DispatchedEvent) -> Void) -> UInt64
    func removeReceiver(_ id: UInt64)
    var hasState: Bool { get }
    var activity: [UInt64]? { get }
    func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension EventChannel: AnyEventChannel {
    @usableFromInline var eventType: any Sendable.Type { Element.self }

    @usableFromInline
    func addTap(_ tap: @escaping @Sendable (DispatchedEvent) -> Void) -> UInt64 {
        addReceiver { event, context in tap(DispatchedEvent(event: event, context: context)) }
    }
}
