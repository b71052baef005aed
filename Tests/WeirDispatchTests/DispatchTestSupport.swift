import Synchronization
import TestThreads
import WeirCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What tests of dispatching share.
enum DispatchTests {
    /// A million events, or ten with `WEIR_LONG_TESTS=1`.
    static let events = isLong ? 10_000_000 : 1_000_000

    private static var isLong: Bool {
        guard let value = unsafe getenv("WEIR_LONG_TESTS") else { return false }
        return unsafe String(cString: value) == "1"
    }

    /// Waits for a condition, letting other threads run; returns whether it came true in time.
    static func wait(for limit: Duration = .seconds(60), until condition: () -> Bool) -> Bool {
        let start = ContinuousClock.now
        while !condition() {
            guard ContinuousClock.now - start < limit else { return false }
            TestThreads.yield()
        }
        return true
    }

    /// As `wait(for:until:)`, letting other tasks run.
    static func suspend(for limit: Duration = .seconds(60), until condition: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !condition() {
            guard ContinuousClock.now - start < limit else { return false }
            await Task.yield()
        }
        return true
    }
}

/// Something that opens once.
final class Latch: Sendable {
    private let opened = Atomic<Bool>(false)

    var isOpen: Bool { opened.load(ordering: .acquiring) }

    func open() { opened.store(true, ordering: .releasing) }

    /// Waits until it is open; returns whether it was in time.
    @discardableResult
    func wait() -> Bool { DispatchTests.wait { isOpen } }
}

/// A count that many threads add to.
final class Tally: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .acquiring) }

    func add(_ count: Int = 1) { value.wrappingAdd(count, ordering: .acquiringAndReleasing) }
}

/// What handlers have seen, in order.
final class Journal<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])

    // A copy made under the lock: the thread sanitizer does not see that a shared buffer is copied before it changes.
    var all: [Entry] { entries.withLock { $0.map { $0 } } }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

/// Runs something when the last reference to it goes: the foreign code in whatever is let go.
final class AtTheEnd: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
