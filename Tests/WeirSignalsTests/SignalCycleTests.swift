import Testing
import WeirSignals
import WeirTesting

@Suite struct SignalCycleTests {
    @Test func aCycleIsReportedWithItsPath() {
        let isClosed = MutableSignal(false, named: "isClosed")
        let start = MutableSignal(1, named: "start")
        let late = Late()
        let a = Signal(named: "a") { isClosed() ? (late.signal?() ?? 0) : start() }
        let b = Signal(named: "b") { a() + 1 }
        let c = Signal(named: "c") { b() + 1 }
        let other = Signal { isClosed() ? start() * 100 : 0 }
        late.signal = c
        let error = #expect(throws: SignalError.self) { try checkedTransaction { isClosed.value = true } }
        guard case .cycle(let path)? = error else { return }
        #expect(path == ["a", "c", "b", "a"])
        #expect(!isClosed() && a() == 1 && b() == 2 && c() == 3 && other() == 0, "nothing has changed")
        start.value = 7
        #expect(c() == 9)
        late.signal = nil
    }

    @Test func aTransactionThatClosesACycleIsTakenBack() {
        let isClosed = MutableSignal(false)
        let number = MutableSignal(1)
        let late = Late()
        let a = Signal { isClosed() ? (late.signal?() ?? 0) : 5 }
        let b = Signal { isClosed() ? a() + number() : a() + number() }
        let c = Signal { b() + 1 }
        late.signal = c
        var seen: [Int] = []
        let observations = [number.observe { seen.append($0) }, c.observe { seen.append($0) }]
        for _ in 0..<3 {
            #expect(throws: SignalError.self) {
                try checkedTransaction {
                    number.value = 100
                    // Is carried for the occasion.
                    #expect(c() == 106)
                    number.value = 200
                    isClosed.value = true
                }
            }
            #expect(!isClosed() && number() == 1 && a() == 5 && b() == 6 && c() == 7)
        }
        #expect(seen.isEmpty)
        #expect(throws: Never.self) { try checkedTransaction { number.value = 7 } }
        #expect(seen == [7, 13])
        number.value = 8
        #expect(c() == 14)
        observations.forEach { $0.cancel() }
        late.signal = nil
    }

    @Test func twoSignalsMayFollowEachOther() {
        let a = MutableSignal(1)
        let b = MutableSignal(2)
        let bindings = [a.bind(to: b), b.bind(to: a)]
        a.value = 5
        #expect(b() == 5)
        b.value = 6
        #expect(a() == 6)
        bindings.forEach { $0.cancel() }
    }

    @Test func anObserversTransactionIsOneChangeOfTheNextCycle() {
        let trigger = MutableSignal(0)
        let a = MutableSignal(0)
        let b = MutableSignal(0)
        let sum = Signal { a() + b() }
        var seen: [Int] = []
        let observations = [
            sum.observe { seen.append($0) },
            trigger.observe { value in
                transaction {
                    a.value = value
                    b.value = value
                }
                #expect(sum() == 2 * (value - 1), "not before all have been told")
            },
        ]
        trigger.value = 1
        trigger.value = 2
        #expect(seen == [2, 4])
        observations.forEach { $0.cancel() }
    }

    @Test func aCancelledObserverIsNotNotified() {
        let root = MutableSignal(0)
        var seen: [String] = []
        var others: [SignalObservation] = []
        let first = root.observe { _ in
            seen.append("first")
            others.forEach { $0.cancel() }
        }
        // On signals of their own, which only their observations hold.
        for number in 0..<3 { others.append(root.map { $0 + number }.observe { seen.append("\(number): \($0)") }) }
        root.value = 1
        root.value = 2
        #expect(seen == ["first", "first"])
        first.cancel()
    }

    @Test func aSignalThatReadsItselfIsACycle() {
        let isClosed = MutableSignal(false)
        let late = Late()
        let a = Signal(named: "a") { isClosed() ? (late.signal?() ?? 0) + 1 : 0 }
        late.signal = a
        let error = #expect(throws: SignalError.self) { try checkedTransaction { isClosed.value = true } }
        #expect(error == .cycle(path: ["a", "a"]))
        late.signal = nil
    }

    @Test func anUncheckedCycleTraps() async {
        await #expect(processExitsWith: .failure) {
            let isClosed = MutableSignal(false)
            let late = Late()
            let a = Signal { isClosed() ? (late.signal?() ?? 0) + 1 : 0 }
            late.signal = a
            isClosed.value = true
        }
    }
}
