import TestStreams
import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

/// Tables that streams write.
@Suite struct StreamTableTests {
    @Test(arguments: seeds(200), [LimitPolicy.dropNewest, .dropOldest])
    func rowsAreThoseOfADictionary(seed: UInt64, policy: LimitPolicy) {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1..<6, using: &random)
        let table = StreamTable<Int, Int>(limit: limit, policy: policy)
        let writes = TestChannel<(key: Int, row: Int?)>()
        let reads = TestChannel<Int>()
        writes.writing(to: table, by: \.key, row: \.row).subscribe { _ in }
        let found = Recorder(reads.enrich(with: table, by: { $0 }).map { $0.1 })
        var model: [(key: Int, row: Int)] = []
        var (expected, refused): ([Int?], UInt64) = ([], 0)
        for number in 0..<200 {
            let key = Int.random(in: 0..<8, using: &random)
            let time = Timestamp(secondsSinceEpoch: Int64(number))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                reads.publish(key, at: time)
                expected.append(model.first { $0.key == key }?.row)
            case 1:
                writes.publish((key, nil), at: time)
                model.removeAll { $0.key == key }
            default:
                writes.publish((key, number), at: time)
                let isThere = model.contains { $0.key == key }
                if model.count == limit, !isThere {
                    refused += 1
                    if policy == .dropNewest { continue }
                    model.removeFirst()
                }
                model.removeAll { $0.key == key }
                model.append((key, number))
            }
        }
        #expect(found.elements == expected)
        #expect(table.refused.count == refused && table.count == model.count)
        #expect(table.snapshot == Dictionary(uniqueKeysWithValues: model.map { ($0.key, $0.row) }))
    }

    @Test func programsReadAndWriteToo() {
        let table = StreamTable<String, Int>(limit: 2)
        table["a"] = 1
        table["b"] = 2
        table["c"] = 3
        #expect(table["a"] == 1 && table["c"] == nil && table.refused.count == 1)
        table["a"] = nil
        #expect(table["a"] == nil && table.count == 1 && table.remove("b") == 2 && table.remove("b") == nil)
        let unequal = StreamTable<Double, Int>()
        unequal[.nan] = 1
        #expect(unequal.count == 0 && unequal.refused.count == 1)
    }

    @Test func manyWritesOfFewKeysTakeLittleRoom() {
        let table = StreamTable<Int, Int>(limit: 2, policy: .dropOldest)
        for number in 0..<100_000 { table[number % 2] = number }
        table[7] = 7
        #expect(table.snapshot == [1: 99_999, 7: 7])
    }

    @Test func itsStateIsSaved() {
        let difference = RestoreTrials.difference { channel in
            let table = StreamTable<Int, Int>(limit: 3, policy: .dropOldest)
            return channel.enrich(with: table, by: { $0.value }).map { "\($0.0.value) \($0.1 ?? -1)" }
                .writing(to: table, by: { Int($0.prefix(1)) ?? 0 }, row: { $0.hasPrefix("4") ? nil : $0.count })
        }
        #expect(difference == nil)
    }
}

extension TestChannel {
    fileprivate func publish(_ element: Element, at time: Timestamp) { send(.element(element, time)) }
}
