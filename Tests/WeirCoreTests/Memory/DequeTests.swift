import Testing
import WeirCore
import WeirTesting

@Suite struct DequeTests {
    @Test func agreesWithAnArray() {
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var deque = Deque<String>()
            var model: [String] = []
            // Long stretches of growth, and of shrinking.
            for step in 0..<400 {
                let grows = step / 100 % 2 == 0
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<(grows ? 6 : 2):
                    deque.append("\(step)")
                    model.append("\(step)")
                case 9 where step % 50 == 0:
                    deque.removeAll()
                    model.removeAll()
                case 8 where !model.isEmpty:
                    #expect(deque.removeLast() == model.removeLast(), "seed \(seed)")
                case 7:
                    let start = Int.random(in: 0...model.count, using: &generator)
                    let end = Int.random(in: start...min(model.count, start + 3), using: &generator)
                    deque.removeAll(from: start, to: end)
                    model.removeSubrange(start..<end)
                case 6:
                    let place = Int.random(in: 0...model.count, using: &generator)
                    deque.insert("\(step)", at: place)
                    model.insert("\(step)", at: place)
                default:
                    #expect(deque.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
                }
                #expect((0..<deque.count).map { deque[$0] } == model, "seed \(seed), step \(step)")
                #expect(deque.first == model.first && deque.last == model.last && deque.isEmpty == model.isEmpty)
            }
        }
    }

    @Test func letsGoOfWhatWasTaken() {
        final class Tracked: Sendable {}
        var deque = Deque<Tracked>()
        let tracked = Tracked()
        deque.append(Tracked())
        deque.append(tracked)
        let first = { [weak object = deque.first] in object }
        deque.removeFirst()
        deque.removeFirst()
        #expect(first() == nil && deque.isEmpty)
    }

    /// Values come out by time, those of equal times in the order of arrival.
    @Test func ordersByTime() {
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var queue = TimeOrderedQueue<Int>()
            var model: [(time: Timestamp, value: Int)] = []
            for step in 0..<200 {
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    let time = Timestamp(secondsSinceEpoch: Int64(step / 4) + .random(in: 0..<8, using: &generator))
                    queue.insert(step, at: time)
                    model.insert((time, step), at: model.firstIndex { $0.time > time } ?? model.count)
                } else if !model.isEmpty {
                    let place = Int.random(in: 0..<min(3, model.count), using: &generator)
                    queue.remove(at: place)
                    model.remove(at: place)
                }
                let time = Timestamp(secondsSinceEpoch: .random(in: 0..<60, using: &generator))
                #expect(queue.firstPosition(after: time) == model.firstIndex { $0.time > time } ?? model.count)
                #expect(queue.firstPosition(from: time) == model.firstIndex { $0.time >= time } ?? model.count)
                #expect((0..<queue.count).map { queue[$0].value } == model.map(\.value), "seed \(seed)")
            }
        }
    }
}
