internal import Synchronization
internal import WeirCore

/// Carries changes through the graph of signals: one at work for each thread, and nothing kept between two changes.
///
/// A cycle has two halves. First all signals that depend on what was set are computed, level by level from the lowest,
/// each at most once and only if a dependency has changed, those of a level in the order of creation; then the
/// observers are notified. The next cycle propagates what observers set. A signal that suddenly reads one of a higher
/// level makes that one, and what it depends on, be computed first, on demand; so no expression ever reads a value of
/// the cycle before. A read between two writes of a transaction is such a demand too, and leaves the rest in the queue.
///
/// Levels after Cooper and Krishnamurthi, "Embedding Dynamic Dataflow in a Call-by-Value Language" (2006), and Maier and
/// Odersky, "Deprecating the Observer Pattern with Scala.React" (2012); demand in place of the latter's second attempt,
/// which would compute an expression twice.
final class SignalCycle {
    enum Phase {
        case idle, settling, demanding, telling
    }

    /// A step on the path from a node that is being computed to a dependency.
    struct Step {
        let node: SignalNode
        var nextDependency = 0
    }

    /// The references that a released node held.
    struct PendingRelease {
        let dependencies: ContiguousArray<SignalNode.Dependency>
        let recomputation: SignalNode.Recomputation?
    }

    /// The nodes of a level that are queued, linked to each other.
    struct Level {
        var first: Unretained<SignalNode>?
        var last: Unretained<SignalNode>?
        /// Whether the nodes are linked in the order in which they were made.
        var isOrdered = true
    }

    /// How many cycles the observers may cause in a row.
    static let cycleLimit = 10_000

    /// How many expressions may be running one inside the other.
    static let nestingLimit = 1000

    /// How many may be before what a dirty signal read the last time is computed first, to spare the stack.
    static let demandLimit = 64

    /// Everything about the cycle that changes.
    struct State {
        var phase = Phase.idle
        var transactionDepth = 0
        // How many of the transactions restore values.
        var restoringDepth = 0
        var checkDepth = 0

        var touched: ContiguousArray<SignalNode> = []
        var levels: ContiguousArray<Level> = []
        var sorting: ContiguousArray<Unretained<SignalNode>> = []
        var queuedCount = 0
        var lowestQueued = Int.max
        // What is below is up to date; nothing can be out of date outside of a settling.
        var currentLevel = Int.max
        var computing: Unretained<SignalNode>?
        var nesting = 0
        var path: ContiguousArray<Step> = []
        var cycleCount: UInt64 = 0
        var runCount: UInt64 = 0

        var pendingObservers: ContiguousArray<SignalNode> = []
        var writes: ContiguousArray<() -> Void> = []
        var lateWriter: SignalNode?
        var error: SignalError?
        // What could not be computed, and how to take back the writes that have made it so.
        var broken: ContiguousArray<SignalNode> = []
        var undos: ContiguousArray<() -> Void> = []

        var pendingReleases: ContiguousArray<PendingRelease> = []
        var isBurying = false
    }

    let state = UncheckedCell(State())

    /// The number of threads that have propagated changes.
    static let threadCount = Atomic<UInt64>(0)

    private init() {
        // Signals move from thread to thread with their actor or stream, so no two threads may count the same numbers.
        let base = Self.threadCount.wrappingAdd(1, ordering: .relaxed).newValue << 40
        state.value.cycleCount = base
        state.value.runCount = base
    }

    @inline(__always)
    static func onThisThread<Result>(_ body: (SignalCycle) -> Result) -> Result {
        ThreadLocal.with({ SignalCycle() }, body)
    }

    // MARK: Transactions and writing

    func beginTransaction() {
        state.value.transactionDepth += 1
    }

    func endTransaction() {
        state.value.transactionDepth -= 1
        if state.value.transactionDepth == 0, state.value.phase == .idle { carry() }
    }

    /// Runs a transaction that gives signals their former values: what depends on them is computed, and nobody is told.
    ///
    /// Those inside of another are parts of it.
    static func restoring(_ body: () throws(StateError) -> Void) throws(StateError) {
        guard onThisThread({ $0.beginRestoring() }) else {
            throw .busy("an expression, an observer or a transaction of signals")
        }
        defer { onThisThread { $0.endRestoring() } }
        try body()
    }

    private func beginRestoring() -> Bool {
        guard state.value.phase == .idle, state.value.computing == nil,
            state.value.transactionDepth == state.value.restoringDepth
        else { return false }
        state.value.transactionDepth += 1
        state.value.restoringDepth += 1
        return true
    }

    private func endRestoring() {
        state.value.transactionDepth -= 1
        state.value.restoringDepth -= 1
        guard state.value.transactionDepth == 0 else { return }
        settle()
        let nodes = state.value.pendingObservers
        state.value.pendingObservers.removeAll(keepingCapacity: true)
        for node in nodes {
            node.state.value.isPendingObserver = false
            node.state.value.audience?.renew()
        }
    }

    /// Runs a transaction that is taken back, with an error, where it makes a signal depend on itself.
    func check(_ body: () -> Void) -> SignalError? {
        state.value.checkDepth += 1
        beginTransaction()
        body()
        endTransaction()
        state.value.checkDepth -= 1
        guard state.value.checkDepth == 0 else { return nil }
        defer { state.value.error = nil }
        return state.value.error
    }

    func beginWrite(to node: SignalNode) -> Bool {
        if let computing = state.value.computing {
            let reader = computing.with { $0.label }
            preconditionFailure(
                "the expression of the signal \(reader) sets the signal \(node.label); derive one from the other instead"
            )
        }
        guard state.value.phase == .idle else { return false }
        state.value.transactionDepth += 1
        return true
    }

    func writeLater(to node: SignalNode, _ perform: @escaping () -> Void) {
        state.value.lateWriter = node
        state.value.writes.append(perform)
    }

    var isChecked: Bool { state.value.checkDepth > 0 }

    func noteUndo(_ undo: @escaping () -> Void) {
        state.value.undos.append(undo)
    }

    func touch(_ node: SignalNode) -> Bool {
        guard !node.state.value.isTouched else { return false }
        node.state.value.isTouched = true
        state.value.touched.append(node)
        return true
    }

    // MARK: Letting go

    /// Releases the references of a node that is deinitialised, in a loop, so that a long chain does not recurse.
    func release(_ node: SignalNode) {
        state.value.pendingReleases.append(
            PendingRelease(
                dependencies: node.state.value.dependencies,
                recomputation: node.state.value.keptRecomputation
            )
        )
        node.state.value.dependencies = []
        node.state.value.keptRecomputation = nil
        guard !state.value.isBurying else { return }
        state.value.isBurying = true
        while !state.value.pendingReleases.isEmpty {
            // What this releases may add pendingReleases.
            _ = state.value.pendingReleases.removeLast()
        }
        state.value.isBurying = false
    }
}
