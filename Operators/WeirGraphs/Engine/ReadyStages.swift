/// The stages of an island that have something to do, in the order in which they got it.
@usableFromInline
final class ReadyStages {
    private var waiting: ContiguousArray<Int> = []
    private var first = 0
    private var isWaiting: ContiguousArray<Bool>

    init(count: Int) {
        isWaiting = ContiguousArray(repeating: false, count: count)
    }

    @usableFromInline
    func add(_ stage: Int) {
        guard !isWaiting[stage] else { return }
        isWaiting[stage] = true
        waiting.append(stage)
    }

    func take() -> Int? {
        guard first < waiting.count else {
            waiting.removeAll(keepingCapacity: true)
            first = 0
            return nil
        }
        let stage = waiting[first]
        first += 1
        // A graph that never rests would else never reach the end of the list.
        if first == 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        isWaiting[stage] = false
        return stage
    }
}
