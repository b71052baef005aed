internal import WeirCore

/// Objects that want to hear of something, typed by the protocol that they are told through, and not kept alive.
///
///     protocol TemperatureObserver: AnyObject, Sendable {
///         func temperatureDidChange(to celsius: Double)
///     }
///
///     final class Display: TemperatureObserver {
///         func temperatureDidChange(to celsius: Double) { print(celsius, "°C") }
///     }
///
///     let display = Display()
///     let observers = ObserverList<any TemperatureObserver>()
///     observers.add(display)
///     observers.notify { $0.temperatureDidChange(to: 25.5) }
///
/// Observers are told in the order in which they were added, on the thread that notifies. One that is added or removed
/// while others are told takes effect with the next notification; one that has gone away is forgotten.
///
/// Thread safety: all members, from any thread, also from inside an observer.
public final class ObserverList<Observer: Sendable>: Sendable {
    private struct Entry: @unchecked Sendable {
        // Safety of `@unchecked Sendable`: the object is an `Observer`, which is `Sendable`, seen as the object it is.
        weak var object: AnyObject?
    }

    private let entries = Locked<[Entry]>([])

    /// Creates an empty list.
    public init() {}

    /// Adds an observer; adding it again does nothing.
    ///
    /// - Parameter observer: An object, as `Observer`; a value that is no object is a programmer's mistake and traps.
    public func add(_ observer: Observer) {
        guard let object = Self.object(observer) else {
            preconditionFailure("only objects can be observers, and \(type(of: observer)) is none")
        }
        entries.withLock { entries in
            entries.removeAll { $0.object == nil }
            guard !entries.contains(where: { $0.object === object }) else { return }
            entries.append(Entry(object: object))
        }
    }

    /// Removes an observer, if it is there.
    ///
    /// - Parameter observer: The observer.
    public func remove(_ observer: Observer) {
        guard let object = Self.object(observer) else { return }
        entries.withLock { entries in entries.removeAll { $0.object == nil || $0.object === object } }
    }

    /// Notifies every observer.
    ///
    /// - Parameter body: Called with each observer that is still there.
    public func notify(_ body: (Observer) -> Void) {
        for entry in entries.withLock({ $0 }) {
            if let observer = entry.object as? Observer { body(observer) }
        }
    }

    /// How many observers there are.
    public var count: Int {
        entries.withLock { entries in entries.count { $0.object != nil } }
    }

    private static func object(_ observer: Observer) -> AnyObject? {
        type(of: observer as Any) is AnyClass ? observer as AnyObject : nil
    }
}
