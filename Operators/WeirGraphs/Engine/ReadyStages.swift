internal import WeirCore

/// The stages of an island that have something to do, in the order in which they got it.
@usableFromInline
final class ReadyStages {
    private struct State {
        var waiting = Deque<Int>()
        var isWaiting: ContiguousArray<Bool>
    }

    private let state: UncheckedCell<State>

    init(count: Int) {
        state = UncheckedCell(State(isWaiting: ContiguousArray(repeating: false, count: count)))
    }

    @usableFromInline
    func add(_ stage: Int) {
        guard !state.value.isWaiting[stage] else { return }
        state.value.isWaiting[stage] = true
        state.value.waiting.append(stage)
    }

    func take() -> Int? {
        guard let stage = state.value.waiting.popFirst() else { return nil }
        state.value.isWaiting[stage] = false
        return stage
    }
}
