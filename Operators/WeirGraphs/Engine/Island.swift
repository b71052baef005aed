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
        let enter: @Sendable () -> Void

        init(_ confined: GatedState<State>) {
            enter = { confined.run() }
        }
    }

    @usableFromInline let run: GraphRun
    private let processor: EventProcessor?
    private let isAwake = Atomic(false)
    private let woken = Locked(Woken())
    private let entry = Locked<Entry?>(nil)

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
                ready: ready
            )
            ready.add(index)
            return Stage(
                step: stage.make(context),
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
        if let processor {
            processor.perform(entry.enter)
        } else {
            entry.enter()
        }
    }

    private func work(_ state: inout State) {
        while isAwake.exchange(false, ordering: .acquiringAndReleasing) {
            readyWoken(&state)
            if !state.isOver {
                if run.isDeadlocked { abort(state, with: .deadlock(waiting: waitingPorts(state))) }
                while let stage = state.ready.take() { state.stages[stage].step() }
                if state.stages.allSatisfy(\.isDone) {
                    state.isOver = true
                    state.stages = []
                    run.islandIsOver()
                }
            }
            let externals = state.stages.count { $0.isExternal && !$0.isDone }
            run.addExternals(externals - state.externals)
            state.externals = externals
            run.end()
        }
    }

    private func readyWoken(_ state: inout State) {
        woken.withLock { woken in
            swap(&woken.stages, &state.taken)
            for stage in state.taken { woken.isWoken[stage] = false }
        }
        for stage in state.taken { state.ready.add(stage) }
        state.taken.removeAll(keepingCapacity: true)
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
