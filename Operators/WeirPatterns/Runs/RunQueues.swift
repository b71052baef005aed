/// The runs of each group in the order in which they started, where that order decides which of them go on.
///
/// Each group has two binary heaps in arrays. Runs that started with the same event are equal, and the heap's own rules
/// say which of them comes first; Flink's engine keeps its partial matches the same way, and which match of several wins a
/// skip depends on it.
@frozen
@usableFromInline
struct RunQueues: Sendable {
    /// Stands for the beginning, which comes after every run.
    @inlinable static var beginning: Int32 { -1 }

    @usableFromInline var partial: [[Int32]] = []
    @usableFromInline var complete: [[Int32]] = []
    // Used in turn with a group's own, so that no event allocates.
    @usableFromInline var spare: [Int32] = []

    @inlinable
    init() {}

    @inlinable
    mutating func reach(_ slot: Int) {
        while partial.count <= slot {
            partial.append([])
            complete.append([])
        }
    }

    @inlinable
    static func order(_ run: Int32, _ store: RunStore) -> UInt64 {
        run == beginning ? .max : store.families[Int(store.runs[Int(run)].family)].sequence
    }

    @inlinable
    static func push(_ run: Int32, _ heap: inout [Int32], _ store: RunStore) {
        let order = order(run, store)
        var place = heap.count
        heap.append(run)
        while place > 0 {
            let parent = (place - 1) / 2
            guard order < self.order(heap[parent], store) else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = run
    }

    @inlinable
    static func sink(_ run: Int32, _ start: Int, _ heap: inout [Int32], _ store: RunStore) {
        let order = order(run, store)
        var place = start
        while place < heap.count / 2 {
            var child = 2 * place + 1
            if child + 1 < heap.count, self.order(heap[child], store) > self.order(heap[child + 1], store) {
                child += 1
            }
            guard order > self.order(heap[child], store) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = run
    }

    @inlinable
    static func pop(_ heap: inout [Int32], _ store: RunStore) -> Int32 {
        let first = heap[0]
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last, 0, &heap, store) }
        return first
    }

    /// Restores the order after runs were taken out anywhere.
    @inlinable
    static func heapify(_ heap: inout [Int32], _ store: RunStore) {
        for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(heap[place], place, &heap, store) }
    }

    /// Takes the runs of a family out of the queues.
    @usableFromInline
    mutating func remove(_ family: Int32, _ slot: Int, _ store: RunStore) {
        partial[slot].removeAll { $0 != Self.beginning && store.runs[Int($0)].family == family }
        Self.heapify(&partial[slot], store)
        complete[slot].removeAll { store.runs[Int($0)].family == family }
        Self.heapify(&complete[slot], store)
    }
}
