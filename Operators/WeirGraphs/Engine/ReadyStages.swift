internal import WeirCore

/// The stages of an island that have something to do, in the order in which they got it.
@usableFromInline
final class ReadyStages {
    private struct State {
        var waiting: ContiguousArray<Int> = []
        var first = 0
        var isWaiting: ContiguousArray<Bool>
    }

    private let state: Place<State>

    init(count: Int) {
        state = Place(State(isWaiting: ContiguousArray(repeating: false, count: count)))
    }

    @usableFromInline
    func add(_ stage: Int) {
        guard !state.value.isWaiting[stage] else { return }
        state.value.isWaiting[stage] = true
        state.value.waiting.append(stage)
    }

    func take() -> Int? {
        let first = state.value.first
        guard first < state.value.waiting.count else {
            state.value.waiting.removeAll(keepingCapacity: true)
            state.value.first = 0
            return nil
        }
        let stage = state.value.waiting[first]
        state.value.first = first + 1
        // A graph that never rests would else never reach the end of the list.
        if first == 1023 {
            state.value.waiting.removeFirst(1024)
            state.value.first = 0
        }
        state.value.isWaiting[stage] = false
        return stage
    }
}
