import TestStreams
import Testing
import WeirCore
import WeirLogic
import WeirSelection
import WeirSequences
import WeirTesting

/// Programs that take results apart in closures; that they compile is half of the test.
@Suite struct PlainTupleTests {
    private let first = EventChannel<Item<One>>()
    private let second = EventChannel<Item<Two>>()
    private let third = EventChannel<Item<Three>>()

    private func play() {
        first.publish(Item(1, at: 0))
        second.publish(Item(2, at: 1))
        third.publish(Item(3, at: 2))
    }

    @Test func operatorsTakeResultsApart() {
        let pairs = all(first, second, within: .seconds(1))
        let sums = Recorder(pairs.map { (x, y) in x.id + y.id })
        let kept = Recorder(pairs.filter { (x, y) in x.id < y.id }.map { $0.0.id })
        let none = Recorder(sequence(first, second, within: .seconds(1)).filter { $0.0.id == $0.1.id })
        let triples = Recorder(
            sequence(first, second, third, within: .seconds(1))
                .filter { (x, y, z) in x.id < y.id && y.id < z.id }
                .map { found in [found.0.id, found.1.id, found.2.id] }
        )
        let counted = Recorder(pairs.scan(into: 0) { count, pair in count += pair.1.id })
        let seen = Locked<[Int]>([])
        pairs.subscribe { found in seen.withLock { $0.append(found.0.id) } }
        pairs.subscribe { (x, y) in seen.withLock { $0.append(y.id) } }
        play()
        #expect(sums.elements == [3] && kept.elements == [1] && none.elements.isEmpty)
        #expect(triples.elements == [[1, 2, 3]] && counted.elements == [2])
        #expect(seen.withLock { $0.sorted() } == [1, 2])
    }

    @Test func resultsAreCompared() {
        let recorder = Recorder(all(first, second, within: .seconds(1)))
        let sixfold = Recorder(sequence(first, second, third, first, second, third, within: .seconds(9)))
        play()
        play()
        let pair = (Item<One>(1, at: 0), Item<Two>(2, at: 1))
        #expect(recorder.elements.elementsEqual([pair, pair, pair, pair], by: ==))
        #expect(recorder.difference(from: "a{0+1}a{0+1}a{0+1}a{0+1}", ["a": pair], by: ==) == nil)
        let other = (Item<One>(3, at: 0), Item<Two>(2, at: 1))
        let difference = recorder.difference(from: "a{0+1}b{0+1}a{0+1}a{0+1}", ["a": pair, "b": other], by: ==)
        #expect(difference?.summary == "signal 1: expected b 1 ns after column 0, but got a 1 ns after column 0")
        #expect(sixfold.elements.isEmpty)
    }

    @Test func sideOutputsHaveTuples() {
        let pairs = all(first, second, within: .seconds(1), limit: 1)
        pairs.attach(Recorder<(Item<One>, Item<Two>)>().sink)
        let late = Locked<[Int?]>([])
        let dropped = Locked<[Int?]>([])
        pairs.late.subscribeWithTime { (part, _) in late.withLock { $0 += [part.0?.id, part.1?.id] } }
        pairs.dropped.subscribeWithTime { part, time in dropped.withLock { $0 += [part.0?.id, part.1?.id] } }
        first.publish(Item(1, at: 5))
        first.publish(Item(2, at: 6))
        first.advance(to: .epoch)
        second.advance(to: .epoch)
        second.publish(Item(3, at: -1))
        #expect(dropped.withLock { $0 } == [1, nil] && late.withLock { $0 } == [nil, 3])
    }

    /// A function whose result is written down, and one that takes any stream of pairs.
    @Test func theTypeCanBeWritten() {
        typealias Pair = (Item<One>, Item<Two>)
        func close(_ a: EventChannel<Item<One>>, _ b: EventChannel<Item<Two>>) -> some EventStream<Pair> {
            all(a, b, within: .seconds(1))
        }
        func ids(_ pairs: some EventStream<Pair>) -> some EventStream<[Int]> {
            pairs.map { (x, y) in [x.id, y.id] }
        }
        let recorder = Recorder(ids(close(first, second)))
        play()
        #expect(recorder.elements == [[1, 2]])
    }
}
