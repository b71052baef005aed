import TestThreads
import Testing
import WeirCore

@Suite struct LockedTests {
    @Test func threadsTakeTurns() {
        let count = Locked(0)
        TestThreads.run((0..<4).map { _ in { for _ in 0..<10_000 { count.withLock { $0 += 1 } } } })
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test func whatIsThrownPassesAndTheLockIsFree() {
        struct Flaw: Error {}
        let value = Locked([1])
        #expect(throws: Flaw.self) {
            try value.withLock { (value: inout [Int]) throws(Flaw) in
                value.append(2)
                throw Flaw()
            }
        }
        #expect(value.withLock { $0 } == [1, 2])
        #expect(
            value.withLock { value -> Int in
                value.removeAll()
                return value.count
            } == 0
        )
    }
}
