internal import CommonStream
internal import DequeModule
internal import HeapModule
internal import WeirCore

/// The workloads as loops over the containers of swift-collections.
enum PeerContainers {
    /// The greatest of the last `length` values, with a deque of those that may still be it.
    static func slidingMaximaWithDeque(_ events: [StreamEvent], _ length: Int) -> Tally {
        var tally = Tally()
        var deque = Deque<(index: Int, value: Double)>()
        for (index, event) in events.enumerated() {
            while let last = deque.last, last.value <= event.value { deque.removeLast() }
            deque.append((index, event.value))
            if let first = deque.first, first.index <= index - length { deque.removeFirst() }
            tally.add(deque[0].value)
        }
        return tally
    }

    /// Puts events that are up to 100 ms late in order, with a heap of those that wait.
    static func orderedWithHeap(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var heap = Heap<ByTime>()
        for event in events {
            heap.insert(ByTime(event: event))
            while let least = heap.min, least.time <= event.timestamp.nanosecondsSinceEpoch - 100_000_000 {
                heap.removeMin()
                tally.addInOrder(least.event.value)
            }
        }
        while let least = heap.popMin() { tally.addInOrder(least.event.value) }
        return tally
    }

    private struct ByTime: Comparable {
        let event: StreamEvent
        var time: Int64 { event.timestamp.nanosecondsSinceEpoch }

        static func < (left: ByTime, right: ByTime) -> Bool { left.time < right.time }
        static func == (left: ByTime, right: ByTime) -> Bool { left.time == right.time }
    }
}
