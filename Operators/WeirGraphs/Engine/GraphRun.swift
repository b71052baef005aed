internal import Synchronization
public import WeirCore
internal import WeirDispatch

/// A running graph: its islands, and the state that they share.
@usableFromInline
final class GraphRun: Sendable {
    private struct Parts {
        var islands: [Island] = []
        var processors: [EventProcessor] = []
        var unfinished = 0
        var scheduler: Scheduler?
    }

    let settings: GraphSettings
    /// Whether what stages keep may be saved when they have ended.
    let keepsState: Bool
    private let parts: Locked<Parts>
    // Islands that are awake or about to be.
    private let active = Atomic(0)
    // What may wake an island though none is awake: open sources from outside, and timers.
    private let externals = Atomic(0)
    private let deadlocked = Atomic(false)
    // Whether the graph stands still to be saved; with the lock until it goes on.
    private let paused = Atomic(false)
    private let pause = Locked(())
    // How many islands have left work because of that.
    private let interruptions = Atomic(0)

    init(_ settings: GraphSettings, keepsState: Bool) {
        self.settings = settings
        self.keepsState = keepsState
        parts = Locked(Parts(scheduler: settings.scheduler))
    }

    func start(_ islands: [Island], _ processors: [EventProcessor]) {
        parts.withLock { parts in
            parts.islands = islands
            parts.processors = processors
            parts.unfinished = islands.count
        }
        // Nothing is stuck before all have begun.
        begin()
        for island in islands { island.wake() }
        end()
    }

    func begin() {
        active.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Called when an island goes to sleep, or need not be woken: when all sleep, and none can be woken, the graph is
    /// stuck.
    func end() {
        guard active.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        // An input from outside may have woken an island before it ended; the island is active again then.
        guard externals.load(ordering: .acquiring) == 0, active.load(ordering: .acquiring) == 0, !isDeadlocked else {
            return
        }
        let islands = parts.withLock { $0.islands }
        guard !islands.isEmpty else { return }
        deadlocked.store(true, ordering: .releasing)
        for island in islands { island.wake() }
    }

    var isDeadlocked: Bool { deadlocked.load(ordering: .acquiring) }

    func addExternals(_ count: Int) {
        if count != 0 { externals.wrappingAdd(count, ordering: .acquiringAndReleasing) }
    }

    func islandIsOver() {
        let processors = parts.withLock { parts -> [EventProcessor] in
            parts.unfinished -= 1
            guard parts.unfinished == 0 else { return [] }
            defer { parts = Parts() }
            return parts.processors
        }
        for processor in processors { processor.stop(.now) }
    }

    // MARK: Checkpoints

    var isPaused: Bool { paused.load(ordering: .sequentiallyConsistent) }

    var isInterrupted: Bool { interruptions.load(ordering: .acquiring) > 0 }

    func countInterruptions(_ change: Int) {
        interruptions.wrappingAdd(change, ordering: .acquiringAndReleasing)
    }

    /// Calls `body` while no stage is at work.
    ///
    /// - Parameters:
    ///   - islands: Those of the graph.
    ///   - body: Saves it.
    /// - Throws: What `body` throws; `StateError.busy` on a thread that is in a stage.
    func whileStanding(_ islands: [Island], _ body: () throws(StateError) -> Void) throws(StateError) {
        guard !islands.contains(where: \.isInside) else { throw .busy("the graph") }
        // Nothing is stuck meanwhile.
        begin()
        defer {
            for island in islands { island.goOn() }
            end()
        }
        try pause.withLock { (_) throws(StateError) in
            paused.store(true, ordering: .sequentiallyConsistent)
            defer { paused.store(false, ordering: .sequentiallyConsistent) }
            // All of them before the first is saved: none gives the others something any more.
            for island in islands { try island.whileIdle { _ throws(StateError) in } }
            try body()
        }
    }

    /// Waits until the graph goes on, and does what was left; on the thread that runs islands without a processor.
    func goOn() {
        while true {
            let islands = parts.withLock { $0.islands }
            // From inside a stage of another island the thread has to leave that first.
            guard !islands.contains(where: \.isInside), islands.contains(where: \.isLeft) else { return }
            pause.withLock { _ in }
            for island in islands { island.goOnHere() }
        }
    }

    /// Wakes a stage after a while.
    @usableFromInline
    func wake(_ island: Island, _ stage: Int, at time: Timestamp) {
        let scheduler = parts.withLock { parts in
            let scheduler = parts.scheduler ?? Scheduler(clock: settings.clock)
            parts.scheduler = scheduler
            return scheduler
        }
        addExternals(1)
        let scheduled = try? scheduler.schedule(at: time) { _ in
            island.wake(stage)
            self.addExternals(-1)
        }
        if scheduled == nil {
            // No timer is left: better early than never.
            island.wake(stage)
            addExternals(-1)
        }
    }
}
