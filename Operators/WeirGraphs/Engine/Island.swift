internal import Synchronization
internal import WeirCore
internal import WeirDispatch

/// The part of a graph that one thread at a time runs: stages and the wires between them.
///
/// A producer outside of the island, such as another island or a timer, stores its input where the stage reads it and
/// wakes the stage.
@usableFromInline
final class Island: Sendable {
    /// What belongs to the thread that runs the island.
    struct State {
        let ready: ReadyStages
        var stages: [Stage]
        var isOver = false
        /// How many stages the outside may still give something to do.
        var externals = 0
        /// The woken stages that were taken last; the two arrays are swapped to reuse their memory.
        var taken: ContiguousArray<Int> = []
    }

    /// The stages that were woken.
    private struct Woken: Sendable {
        var stages: ContiguousArray<Int> = []
        var isWoken: ContiguousArray<Bool> = []

        mutating func add(_ stage: Int) {
            guard !isWoken[stage] else { return }
            isWoken[stage] = true
            stages.append(stage)
        }
    }

    /// Runs the island on one thread at a time; created once, so that a wake allocates nothing.
    private final class Entry: Sendable {
        let confined: GatedState<State>
        let enter: @Sendable () -> Void

        init(_ confined: GatedState<State>) {
            self.confined = confined
            enter = { confined.run() }
        }
    }

    @usableFromInline let run: GraphRun
    private let processor: EventProcessor?
    private let isAwake = Atomic(false)
    private let woken = Locked(Woken())
    private let entry = Locked<Entry?>(nil)

    // While the graph stands still: whether there is work left, and whether the island was woken when it was being saved.
    private let isInterrupted = Atomic(false)
    private let isPostponed = Atomic(false)

    init(_ run: GraphRun, _ processor: EventProcessor?) {
        self.run = run
        self.processor = processor
    }

    /// Makes the stages and the wires between them.
    func confine(_ stages: [StageDescription], _ wires: [WireDescription], _ settings: GraphSettings) {
        // Room for all, so that no wake allocates.
        woken.withLock { woken in
            woken.isWoken = ContiguousArray(repeating: false, count: stages.count)
            woken.stages.reserveCapacity(stages.count)
        }
        let made = GatedState(
            { self.make(stages, wires, settings) },
            work: { [weak self] state in self?.work(&state) }
        )
        entry.withLock { $0 = Entry(made) }
    }

    private func make(_ stages: [StageDescription], _ wires: [WireDescription], _ settings: GraphSettings) -> State {
        let ready = ReadyStages(count: stages.count)
        var inlets: [[Int: AnyWire]] = Array(repeating: [:], count: stages.count)
        var outlets = inlets
        for wire in wires {
            let made = wire.make(
                WireEnds(
                    outletName: stages[wire.producer].outlets[wire.outlet],
                    inletName: stages[wire.consumer].inlets[wire.inlet],
                    ready: ready,
                    producer: wire.producer,
                    consumer: wire.consumer
                )
            )
            outlets[wire.producer][wire.outlet] = made
            inlets[wire.consumer][wire.inlet] = made
        }
        let made = stages.enumerated().map { index, stage in
            let context = StageContext(
                inlets: stage.inlets.indices.compactMap { inlets[index][$0] },
                outlets: stage.outlets.indices.compactMap { outlets[index][$0] },
                island: self,
                settings: settings,
                index: index,
                ready: ready,
                state: StageState()
            )
            ready.add(index)
            return Stage(
                name: stage.name,
                step: stage.make(context),
                state: context.state,
                isExternal: stage.isExternal,
                inlets: context.inlets,
                outlets: context.outlets
            )
        }
        let externals = made.count { $0.isExternal }
        run.addExternals(externals)
        var state = State(ready: ready, stages: made, externals: externals)
        state.taken.reserveCapacity(stages.count)
        return state
    }

    /// Wakes a stage to take its input; from any thread.
    @usableFromInline
    func wake(_ stage: Int) {
        woken.withLock { $0.add(stage) }
        wake()
    }

    func wake() {
        // Who comes before the stages are made is heard when the graph starts.
        guard let entry = entry.withLock({ $0 }) else { return }
        // Counted before the island can see it: a thread that runs it already would otherwise end it before it begins,
        // and find the graph stuck.
        run.begin()
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return run.end() }
        enter(entry)
    }

    private func enter(_ entry: Entry) {
        if let processor { return processor.perform(entry.enter) }
        entry.enter()
        if run.isInterrupted { run.goOn() }
    }

    private func work(_ state: inout State) {
        while isAwake.exchange(false, ordering: .acquiringAndReleasing) {
            readyWoken(&state)
            if !state.isOver, !standsStill {
                if run.isDeadlocked { abort(state, with: .deadlock(waiting: waitingPorts(state))) }
                while !standsStill, let stage = state.ready.take() { state.stages[stage].step() }
                if state.stages.allSatisfy(\.isDone) {
                    state.isOver = true
                    state.stages = run.keepsState ? state.stages.map(\.ended) : []
                    run.islandIsOver()
                }
            }
            let externals = state.isOver ? 0 : state.stages.count { $0.isExternal && !$0.isDone }
            run.addExternals(externals - state.externals)
            state.externals = externals
            run.end()
        }
    }

    /// Whether work is left because the graph stands still; what ends that sees to it that it goes on.
    private var standsStill: Bool {
        guard run.isPaused else { return false }
        if !isInterrupted.exchange(true, ordering: .sequentiallyConsistent) { run.countInterruptions(1) }
        // The pause may have ended before that was seen: then it is taken back, unless it was seen after all.
        return run.isPaused || !takeInterruption()
    }

    private func readyWoken(_ state: inout State) {
        woken.withLock { woken in
            swap(&woken.stages, &state.taken)
            for stage in state.taken { woken.isWoken[stage] = false }
        }
        for stage in state.taken { state.ready.add(stage) }
        state.taken.removeAll(keepingCapacity: true)
    }

    // MARK: Checkpoints

    /// Whether this thread is at work in the island.
    var isInside: Bool { entry.withLock { $0 }?.confined.isInside ?? false }

    /// Saves what the stages and wires keep, or gives it back; the graph stands still.
    func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try whileIdle { stages throws(StateError) in
            for stage in stages {
                try exchange.scoped(stage.name) { exchange throws(StateError) in
                    try stage.state.exchange(&exchange, inlets: stage.inlets)
                }
            }
        }
    }

    /// Waits until no thread is at work, and calls `body`; the graph stands still.
    func whileIdle(_ body: ([Stage]) throws(StateError) -> Void) throws(StateError) {
        guard let entry = entry.withLock({ $0 }) else { return }
        let isDone: Void? = try entry.confined.whileIdle(
            postponing: { isPostponed.store(true, ordering: .releasing) },
            { (state) throws(StateError) in try body(state.stages) }
        )
        guard isDone != nil else { throw .busy("a stage of the graph") }
    }

    /// Whether there is work left that no processor will do.
    var isLeft: Bool { processor == nil && isInterrupted.load(ordering: .acquiring) }

    /// Goes on after the graph stood still: on a processor, or with what was asked for when the island was being saved.
    func goOn() {
        if processor != nil, takeInterruption() { wake() }
        guard !isLeft, isPostponed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // Counted when it was asked for.
        if let entry = entry.withLock({ $0 }) { enter(entry) }
    }

    /// Goes on after the graph stood still, on this thread.
    func goOnHere() {
        guard processor == nil, takeInterruption(), let entry = entry.withLock({ $0 }) else { return }
        run.begin()
        if isAwake.exchange(true, ordering: .acquiringAndReleasing) {
            run.end()
            guard isPostponed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        }
        entry.enter()
    }

    private func takeInterruption() -> Bool {
        guard isInterrupted.exchange(false, ordering: .sequentiallyConsistent) else { return false }
        run.countInterruptions(-1)
        return true
    }

    /// Ends the stages that have not ended.
    private func abort(_ state: State, with error: GraphError) {
        for stage in state.stages {
            for wire in stage.inlets + stage.outlets { wire.abort(error) }
        }
    }

    /// The ports that wait for each other; empty when no stage of the island waits for another one of it.
    private func waitingPorts(_ state: State) -> [String] {
        guard var stage = state.stages.firstIndex(where: { !$0.isDone }) else { return [] }
        var path: [String] = []
        var places = ContiguousArray<Int?>(repeating: nil, count: state.stages.count)
        while true {
            if let start = places[stage] { return Array(path[start...]) }
            places[stage] = path.count
            let wires = state.stages[stage]
            // A stage with open demand waits for its upstream, otherwise for demand.
            if let wire = wires.inlets.first(where: { !$0.isOver && $0.demand > 0 && $0.count == 0 }) {
                path.append("\(wire.inletName) waits for an element")
                stage = wire.producer
            } else if let wire = wires.outlets.first(where: { !$0.isOver && $0.demand == 0 }) {
                path.append("\(wire.outletName) waits for demand")
                stage = wire.consumer
            } else {
                return path
            }
        }
    }
}
