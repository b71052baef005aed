public import Synchronization
internal import WeirCore

/// A signal's place in the graph of what depends on what.
///
/// A node keeps its dependencies alive; its dependents only know it as long as they live. Both ends of an edge know
/// where the other end is kept, so that an edge goes in constant time.
@usableFromInline
final class SignalNode {
    /// The edge to something that the node read when it was computed last.
    struct Dependency {
        let node: SignalNode
        var position: Int
    }

    /// The edge to something that read the node; the dependent's `deinit` takes it out again.
    struct Dependent {
        let node: Unretained<SignalNode>
        var position: Int
    }

    /// The computation of a node; formed where the type of its value is known.
    ///
    /// In an object of its own, from where it is called without counting references.
    final class Recomputation {
        let run: (SignalNode) -> Bool

        init(_ run: @escaping (SignalNode) -> Bool) {
            self.run = run
        }
    }

    /// Everything about a node that changes; what each cycle touches comes first, to be in few cache lines.
    struct State {
        /// Greater than the level of every dependency, so that computing level by level computes each node once.
        var level = 0
        var dependencies: ContiguousArray<Dependency> = []
        var dependents: ContiguousArray<Dependent> = []
        /// Computes the value and returns whether it has changed; `nil` for nodes that are set from outside.
        var recomputation: Unretained<Recomputation>?

        /// Whether a dependency has changed since the node was computed.
        var isDirty = false
        /// Whether the node is in the list of a level; it may be clean by then.
        var isQueued = false
        var isComputing = false
        /// Whether what the running computation reads does not become a dependency.
        var isUntracked = false
        /// Whether the node was set and not committed yet.
        var isTouched = false
        var isPendingObserver = false

        /// The computation that read the node last.
        var readIn: UInt64 = 0
        /// The cycle in which the node was last found, or made, up to date on demand.
        var settledIn: UInt64 = 0

        // MARK: What happens while the node is being computed

        /// Identifies a computation.
        var run: UInt64 = 0
        /// The number of confirmed dependencies; those behind them are from the last computation.
        var confirmed = 0
        var levelSoFar = 0
        /// The enclosing computation.
        var outer: Unretained<SignalNode>?

        /// The followers of changes.
        var audience: SignalAudience?
        /// The neighbours in the list of a level, and which level's it is: the node's own may have risen since.
        var next: Unretained<SignalNode>?
        var previous: Unretained<SignalNode>?
        var queuedLevel = 0
        /// Keeps what ``recomputation`` refers to, until the node goes.
        var keptRecomputation: Recomputation?
        /// Returns whether the new value differs from the old one; `nil` for computed nodes.
        var commit: (() -> Bool)?
    }

    let state = UncheckedCell(State())

    let label: SignalLabel

    /// How many nodes were made before: siblings are computed in this order.
    let number = SignalNode.count.wrappingAdd(1, ordering: .relaxed).oldValue

    /// The number of nodes that all threads have created; signals move between threads with their actor.
    private static let count = Atomic<UInt64>(0)

    // Atomic only because that is stored in line and read without a check: the generic half does so after each
    // computation.
    @usableFromInline let broken = Atomic(false)

    /// Whether the running computation depends on itself.
    @inlinable var isBroken: Bool {
        get { broken.load(ordering: .relaxed) }
        set { broken.store(newValue, ordering: .relaxed) }
    }

    @usableFromInline
    init(_ label: SignalLabel) {
        self.label = label
    }

    deinit {
        precondition(!state.value.isComputing, "the signal \(label) went away while its own expression was running")
        SignalCycle.onThisThread { cycle in
            if state.value.isQueued { cycle.unlink(self) }
            // By index, because taking one edge out may move another one of the node's own.
            for index in state.value.dependencies.indices {
                state.value.dependencies[index].node.removeDependent(at: state.value.dependencies[index].position)
            }
            cycle.release(self)
            state.value.audience?.end()
        }
    }

    @usableFromInline
    func computes(_ recompute: @escaping (SignalNode) -> Bool) {
        let recomputation = Recomputation(recompute)
        state.value.keptRecomputation = recomputation
        state.value.recomputation = Unretained(recomputation)
    }

    @usableFromInline
    func commits(_ commit: @escaping () -> Bool) {
        state.value.commit = commit
    }

    @inline(__always)
    func recompute() -> Bool { state.value.recomputation?.with { $0.run(self) } ?? false }

    var isComputed: Bool { state.value.recomputation != nil }

    func runCommit() -> Bool { state.value.commit?() ?? false }

    // MARK: Edges

    /// Records that the running computation has read `node`.
    @inline(__always)
    func confirmDependency(on node: SignalNode) {
        let place = state.value.confirmed
        state.value.confirmed = place + 1
        // A computation mostly reads the same nodes as the last one, in the same order.
        if place < state.value.dependencies.count, state.value.dependencies[place].node === node { return }
        confirmOther(node, at: place)
    }

    /// Puts an edge in the place of what the last computation read there, which is left over for the time being.
    private func confirmOther(_ node: SignalNode, at place: Int) {
        guard place < state.value.dependencies.count else {
            state.value.dependencies.append(makeEdge(to: node, from: place))
            return
        }
        let leftOver = state.value.dependencies[place]
        leftOver.node.state.value.dependents[leftOver.position].position = state.value.dependencies.count
        state.value.dependencies.append(leftOver)
        state.value.dependencies[place] = makeEdge(to: node, from: place)
    }

    private func makeEdge(to node: SignalNode, from place: Int) -> Dependency {
        node.state.value.dependents.append(Dependent(node: Unretained(self), position: place))
        return Dependency(node: node, position: node.state.value.dependents.count - 1)
    }

    /// Removes the dependencies that the computation that has just ended no longer read.
    func dropLeftOverDependencies() {
        while state.value.dependencies.count > state.value.confirmed {
            let leftOver = state.value.dependencies.removeLast()
            leftOver.node.removeDependent(at: leftOver.position)
        }
    }

    /// Takes an edge out, and moves the last one to its place.
    private func removeDependent(at position: Int) {
        let last = state.value.dependents.removeLast()
        guard position < state.value.dependents.count else { return }
        state.value.dependents[position] = last
        last.node.with { $0.state.value.dependencies[last.position].position = position }
    }

    // MARK: Observers

    var hasAudience: Bool { state.value.audience?.isEmpty == false }

    /// The followers of the node; most nodes have none.
    var audience: SignalAudience {
        if let audience = state.value.audience { return audience }
        let audience = SignalAudience()
        state.value.audience = audience
        return audience
    }

    // MARK: For the generic half

    @usableFromInline
    func noteRead() {
        SignalCycle.onThisThread { $0.noteRead(of: self) }
    }

    @usableFromInline
    func beginFirstRun() {
        SignalCycle.onThisThread { $0.beginFirstRun(of: self) }
    }

    @usableFromInline
    func endFirstRun() {
        SignalCycle.onThisThread { $0.endFirstRun(of: self) }
    }

    /// Starts a write; returns `false` while observers are being notified, when it has to be deferred.
    @usableFromInline
    func beginWrite() -> Bool {
        SignalCycle.onThisThread { $0.beginWrite(to: self) }
    }

    @usableFromInline
    func endWrite() {
        SignalCycle.onThisThread { $0.endTransaction() }
    }

    @usableFromInline
    func writeLater(_ perform: @escaping () -> Void) {
        SignalCycle.onThisThread { $0.writeLater(to: self, perform) }
    }

    /// Whether writes have to be taken back where they make a signal depend on itself.
    @usableFromInline var isChecked: Bool { SignalCycle.onThisThread { $0.isChecked } }

    @usableFromInline
    func noteUndo(_ undo: @escaping () -> Void) {
        SignalCycle.onThisThread { $0.noteUndo(undo) }
    }

    /// Whether this is the first write of the cycle, before which the old value has to be kept.
    @usableFromInline
    func touch() -> Bool {
        SignalCycle.onThisThread { $0.touch(self) }
    }
}
