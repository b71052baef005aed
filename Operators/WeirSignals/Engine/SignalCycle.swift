internal import Synchronization
internal import WeirCore

/// Carries changes through the graph of signals: one at work for each thread, and nothing kept between two changes.
///
/// A cycle has two halves. First all signals that depend on what was set are computed, level by level from the lowest,
/// each at most once and only if a dependency has changed; then the observers are told. What observers set is carried
/// by the next cycle. A signal that suddenly reads one of a higher level makes that one, and what it depends on, be
/// computed first, on demand; so no expression ever reads a value of the cycle before.
///
/// Levels after Cooper and Krishnamurthi, "Embedding Dynamic Dataflow in a Call-by-Value Language" (2006), and Maier and
/// Odersky, "Deprecating the Observer Pattern with Scala.React" (2012); demand in place of the latter's second attempt,
/// which would compute an expression twice.
final class SignalCycle {
    private enum Phase {
        case idle, settling, telling
    }

    /// A step on the way from what is being computed to what it needs.
    private struct Step {
        let node: SignalNode
        var nextDependency = 0
    }

    /// What a node that has gone away held.
    private struct Grave {
        let dependencies: ContiguousArray<SignalNode.Dependency>
        let recomputation: SignalNode.Recomputation?
    }

    /// How many cycles the observers may cause in a row.
    static let cycleLimit = 10_000

    /// How many expressions may be running one inside the other.
    static let nestingLimit = 1000

    /// How many may be before what a dirty signal read the last time is computed first, to spare the stack.
    static let demandLimit = 64

    /// Everything about the cycle that changes.
    private struct State {
        var phase = Phase.idle
        var transactionDepth = 0
        var checkDepth = 0

        var touched: ContiguousArray<SignalNode> = []
        var levels: ContiguousArray<Unretained<SignalNode>?> = []
        var queuedCount = 0
        var lowestQueued = 0
        // What is below is up to date; nothing can be out of date outside of a settling.
        var currentLevel = Int.max
        var computing: Unretained<SignalNode>?
        var nesting = 0
        var path: ContiguousArray<Step> = []
        var cycleCount: UInt64 = 0
        var runCount: UInt64 = 0

        var toBeTold: ContiguousArray<SignalNode> = []
        var writes: ContiguousArray<() -> Void> = []
        var lateWriter: SignalNode?
        var error: SignalError?
        // What could not be computed, and how to take back the writes that have made it so.
        var broken: ContiguousArray<SignalNode> = []
        var undos: ContiguousArray<() -> Void> = []

        var graves: ContiguousArray<Grave> = []
        var isBurying = false
    }

    private let state = Place(State())

    /// How many threads have carried changes so far.
    private static let threadCount = Atomic<UInt64>(0)

    private init() {
        // Signals move from thread to thread with their actor or stream, so no two threads may count the same numbers.
        let base = Self.threadCount.wrappingAdd(1, ordering: .relaxed).newValue << 40
        state.value.cycleCount = base
        state.value.runCount = base
    }

    @inline(__always)
    static func onThisThread<Result>(_ body: (SignalCycle) -> Result) -> Result {
        ThreadKept.with({ SignalCycle() }, body)
    }

    // MARK: Transactions and writing

    func beginTransaction() {
        state.value.transactionDepth += 1
    }

    func endTransaction() {
        state.value.transactionDepth -= 1
        if state.value.transactionDepth == 0, state.value.phase == .idle { carry() }
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

    // MARK: A cycle

    private func carry() {
        guard !state.value.touched.isEmpty || !state.value.toBeTold.isEmpty else { return }
        var cycles = 0
        while true {
            settle()
            if !state.value.broken.isEmpty { takeBack() }
            state.value.undos.removeAll()
            tell()
            guard !state.value.writes.isEmpty else { break }
            cycles += 1
            precondition(
                cycles < Self.cycleLimit,
                """
                observers have set signals, last \(state.value.lateWriter.map { "\($0.label)" } ?? ""), \(cycles) times in a row; \
                an observer that sets what it observes must come to rest
                """
            )
            performWrites()
        }
        state.value.lateWriter = nil
    }

    /// Undoes the writes of a cycle in which a signal would have come to depend on itself.
    private func takeBack() {
        let (broken, undos) = (state.value.broken, state.value.undos)
        state.value.broken = []
        for undo in undos.reversed() { undo() }
        settle(with: broken)
        state.value.broken = []
        // Nothing has changed.
        for node in state.value.toBeTold { node.state.value.isToBeTold = false }
        state.value.toBeTold.removeAll(keepingCapacity: true)
    }

    private func performWrites() {
        let batch = state.value.writes
        state.value.writes = []
        state.value.transactionDepth += 1
        for perform in batch { perform() }
        state.value.transactionDepth -= 1
    }

    private func tell() {
        guard !state.value.toBeTold.isEmpty else { return }
        state.value.phase = .telling
        var index = 0
        while index < state.value.toBeTold.count {
            let node = state.value.toBeTold[index]
            node.state.value.isToBeTold = false
            node.state.value.audience?.tell()
            index += 1
        }
        state.value.toBeTold.removeAll(keepingCapacity: true)
        state.value.phase = .idle
    }

    /// Computes whatever depends on what was set, and what could not be computed before.
    private func settle(with others: ContiguousArray<SignalNode> = []) {
        guard !state.value.touched.isEmpty || !others.isEmpty else { return }
        state.value.phase = .settling
        state.value.cycleCount += 1
        state.value.lowestQueued = .max
        for index in state.value.touched.indices {
            let node = state.value.touched[index]
            node.state.value.isTouched = false
            if node.runCommit() { spread(from: node) }
        }
        state.value.touched.removeAll(keepingCapacity: true)
        for node in others { enqueue(node) }
        state.value.currentLevel = state.value.lowestQueued
        while state.value.queuedCount > 0 {
            guard let first = state.value.levels[state.value.currentLevel] else {
                state.value.currentLevel += 1
                continue
            }
            first.with { node in
                unlink(node)
                guard node.state.value.isDirty else { return }
                if node.state.value.level > state.value.currentLevel { enqueue(node) } else { computeLine(from: node) }
            }
        }
        state.value.currentLevel = .max
        state.value.phase = .idle
    }

    /// Notes who has to hear that a node has changed.
    private func spread(from node: SignalNode) {
        for index in node.state.value.dependents.indices {
            node.state.value.dependents[index].node.with { enqueue($0) }
        }
        if node.state.value.audience != nil { addToBeTold(node) }
    }

    private func addToBeTold(_ node: SignalNode) {
        guard node.hasAudience, !node.state.value.isToBeTold else { return }
        node.state.value.isToBeTold = true
        state.value.toBeTold.append(node)
    }

    private func enqueue(_ node: SignalNode) {
        node.state.value.isDirty = true
        guard !node.state.value.isQueued else { return }
        node.state.value.isQueued = true
        let level = node.state.value.level
        while state.value.levels.count <= level { state.value.levels.append(nil) }
        let next = state.value.levels[level]
        next?.with { $0.state.value.previous = Unretained(node) }
        node.state.value.next = next
        node.state.value.queuedLevel = level
        state.value.levels[level] = Unretained(node)
        state.value.lowestQueued = min(state.value.lowestQueued, level)
        state.value.queuedCount += 1
    }

    /// Takes a node out of the list that it is in.
    func unlink(_ node: SignalNode) {
        let (next, previous) = (node.state.value.next, node.state.value.previous)
        next?.with { $0.state.value.previous = previous }
        if let previous {
            previous.with { $0.state.value.next = next }
        } else {
            state.value.levels[node.state.value.queuedLevel] = next
        }
        node.state.value.next = nil
        node.state.value.previous = nil
        node.state.value.isQueued = false
        state.value.queuedCount -= 1
    }

    // MARK: A computation

    /// Computes a node, and then, as long as nothing else is queued, the only node that depends on it, and so on: most
    /// signals have one reader, and need no queue.
    private func computeLine(from first: SignalNode) {
        var line: Unretained<SignalNode>? = Unretained(first)
        while let next = line {
            line = next.with { node in
                state.value.currentLevel = node.state.value.level
                begin(node)
                let hasChanged = node.recompute()
                end(node)
                guard hasChanged else { return nil }
                guard state.value.queuedCount == 0, node.state.value.dependents.count == 1 else {
                    spread(from: node)
                    return nil
                }
                if node.state.value.audience != nil { addToBeTold(node) }
                return node.state.value.dependents[0].node
            }
        }
    }

    private func compute(_ node: SignalNode) {
        begin(node)
        let hasChanged = node.recompute()
        end(node)
        if hasChanged { spread(from: node) }
    }

    func beginFirstRun(of node: SignalNode) {
        if state.value.phase == .idle, state.value.computing == nil { settle() }
        begin(node)
    }

    func endFirstRun(of node: SignalNode) {
        end(node)
    }

    private func begin(_ node: SignalNode) {
        precondition(
            state.value.nesting < Self.nestingLimit,
            """
            \(state.value.nesting) signals, last \(node.label), are made or newly read inside each other's expressions; make or read \
            them one after the other
            """
        )
        state.value.nesting += 1
        state.value.runCount += 1
        node.state.value.run = state.value.runCount
        node.state.value.isDirty = false
        node.state.value.isBroken = false
        node.state.value.isComputing = true
        node.state.value.confirmed = 0
        node.state.value.levelSoFar = 0
        node.state.value.outer = state.value.computing
        state.value.computing = Unretained(node)
    }

    private func end(_ node: SignalNode) {
        state.value.nesting -= 1
        state.value.computing = node.state.value.outer
        node.state.value.outer = nil
        node.state.value.isComputing = false
        // What it read the last time may have been computed meanwhile; what it has read now was up to date.
        node.state.value.isDirty = false
        node.state.value.settledIn = state.value.cycleCount
        if node.state.value.dependencies.count > node.state.value.confirmed { node.dropLeftOverDependencies() }
        let hasRisen = node.state.value.levelSoFar > node.state.value.level
        node.state.value.level = node.state.value.levelSoFar
        if hasRisen, !node.state.value.dependents.isEmpty { raiseDependents(of: node) }
    }

    private func raiseDependents(of node: SignalNode) {
        var raised: ContiguousArray = [Unretained(node)]
        while let next = raised.popLast() {
            next.with { node in
                for dependent in node.state.value.dependents {
                    dependent.node.with { above in
                        guard above.state.value.level <= node.state.value.level else { return }
                        above.state.value.level = node.state.value.level + 1
                        raised.append(dependent.node)
                    }
                }
            }
        }
    }

    /// Notes that what is being computed, if anything is, reads a node; brings the node up to date first.
    @inline(__always)
    func noteRead(of node: SignalNode) {
        guard let computing = state.value.computing else {
            // Inside a transaction, after a write.
            if !state.value.touched.isEmpty, state.value.phase == .idle, node.isComputed { settle() }
            return
        }
        computing.with { reader in
            let run = reader.state.value.run
            guard node.state.value.readIn != run else { return }
            if node.state.value.isComputing {
                breakCycle(at: node)
                return
            }
            let level = node.state.value.level
            if level >= state.value.currentLevel, node.state.value.settledIn != state.value.cycleCount {
                guard bringUpToDate(node) else { return }
            }
            node.state.value.readIn = run
            reader.confirmDependency(on: node)
            let above = node.state.value.level + 1
            if above > reader.state.value.levelSoFar { reader.state.value.levelSoFar = above }
        }
    }

    /// Computes a node, and before that what it depends on, where they are out of date; false where that leads back to
    /// what is being computed.
    private func bringUpToDate(_ node: SignalNode) -> Bool {
        let start = state.value.path.count
        state.value.path.append(Step(node: node))
        while state.value.path.count > start {
            let top = state.value.path.count - 1
            let node = state.value.path[top].node
            let place = state.value.path[top].nextDependency
            // What is dirty may not read any more what it read the last time: it shows when it is computed.
            let isKnown = !node.state.value.isDirty || state.value.nesting >= Self.demandLimit
            if isKnown, place < node.state.value.dependencies.count {
                state.value.path[top].nextDependency += 1
                let dependency = node.state.value.dependencies[place].node
                if dependency.state.value.isComputing {
                    // What is dirty will be computed anyway, and may not read this any more; what is not would.
                    guard let reader = state.value.path[start...].lastIndex(where: { $0.node.state.value.isDirty })
                    else {
                        breakCycle(at: dependency)
                        state.value.path.removeLast(state.value.path.count - start)
                        return false
                    }
                    state.value.path.removeLast(state.value.path.count - 1 - reader)
                } else if dependency.state.value.level >= state.value.currentLevel,
                    dependency.state.value.settledIn != state.value.cycleCount
                {
                    state.value.path.append(Step(node: dependency))
                }
            } else {
                if node.state.value.isDirty { compute(node) }
                node.state.value.settledIn = state.value.cycleCount
                state.value.path.removeLast()
            }
        }
        return true
    }

    /// Reports a cycle through a node that is being computed; whatever is being computed on it keeps its value.
    private func breakCycle(at node: SignalNode) {
        let start = state.value.path.lastIndex { $0.node === node }.map { $0 + 1 } ?? state.value.path.startIndex
        let labels = [node.label] + state.value.path[start...].map(\.node.label) + [node.label]
        let error = SignalError.cycle(path: labels.map(\.description))
        precondition(state.value.checkDepth > 0, "\(error)")
        state.value.error = state.value.error ?? error
        var broken = state.value.computing
        while let current = broken {
            broken = current.with { current in
                current.state.value.isBroken = true
                state.value.broken.append(current)
                return current === node ? nil : current.state.value.outer
            }
        }
    }

    // MARK: Letting go

    /// Lets go of what a node that goes away held, so that a long chain of signals is released in a loop.
    func bury(_ node: SignalNode) {
        state.value.graves.append(
            Grave(dependencies: node.state.value.dependencies, recomputation: node.state.value.keptRecomputation)
        )
        node.state.value.dependencies = []
        node.state.value.keptRecomputation = nil
        guard !state.value.isBurying else { return }
        state.value.isBurying = true
        while !state.value.graves.isEmpty {
            // What this releases may add graves.
            _ = state.value.graves.removeLast()
        }
        state.value.isBurying = false
    }
}
