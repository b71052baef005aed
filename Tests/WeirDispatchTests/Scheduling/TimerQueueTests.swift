import Synchronization
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite struct TimerQueueTests {
    enum Step: Sendable, CaseIterable {
        case addEarly, addLate, addPast, cancelOldest, cancelNewest, postponeOldest, popDue, popAny
    }

    /// The times of the steps lie in different buckets, in the same one, or are equal, depending on the unit.
    @Test(arguments: [1, 64, 1 << 40])
    func agreesWithASortedArrayOnEveryShortHistory(unit: Int64) throws {
        let steps = Step.allCases
        for number in 0..<(0..<5).reduce(1, { count, _ in count * steps.count }) {
            var rest = number
            let history = (0..<5).map { _ in
                defer { rest /= steps.count }
                return steps[rest % steps.count]
            }
            var run = try Run(limit: 4)
            for (index, step) in history.enumerated() {
                switch step {
                case .addEarly: run.add(at: 10 * unit)
                case .addLate: run.add(at: (20 - Int64(index)) * unit)
                case .addPast: run.add(at: -unit)
                case .cancelOldest: run.cancel(number: 0)
                case .cancelNewest: run.cancel(number: run.handles.count - 1)
                case .postponeOldest: run.reschedule(number: 0, at: 18 * unit)
                case .popDue: run.pop(upTo: 10 * unit)
                case .popAny: run.pop(upTo: .max)
                }
            }
            run.drain()
            if !run.agrees { Issue.record("differs from the array: \(history), unit \(unit)") }
        }
    }

    /// How far ahead deadlines are, in different mixes.
    enum Spread: Sendable, CaseIterable {
        case fewTimes, oneSecond, mostlySoon, allScales, falling, anywhere
    }

    @Test(arguments: Spread.allCases, [UInt64(1), 2, 3])
    func agreesWithASortedArrayOnLongHistories(spread: Spread, seed: UInt64) throws {
        print("TimerQueue: \(spread), seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var run = try Run(limit: 4000)
        var now: Int64 = 1_700_000_000_000_000_000
        for step in 0..<30_000 {
            // Phases of growing and of shrinking, through some thousands of timers.
            let grows = step / 4000 % 2 == 0
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<(grows ? 6 : 2):
                run.add(at: time(spread, after: now, step: step, using: &generator))
            case 6 where !run.handles.isEmpty:
                run.cancel(number: Int.random(in: 0..<run.handles.count, using: &generator))
            case 7 where !run.handles.isEmpty:
                let number = Int.random(in: 0..<run.handles.count, using: &generator)
                run.reschedule(number: number, at: time(spread, after: now, step: step, using: &generator))
            default:
                now = max(now, run.pop(upTo: .max)?.nanosecondsSinceEpoch ?? now)
            }
            if !run.agrees { break }
        }
        run.drain()
        let agrees = run.agrees
        #expect(agrees, "differs from the array: \(spread), seed \(seed)")
    }

    private func time(
        _ spread: Spread,
        after now: Int64,
        step: Int,
        using generator: inout SeededGenerator
    ) -> Int64 {
        switch spread {
        case .fewTimes: Int64.random(in: 0..<3, using: &generator)
        case .oneSecond: now + Int64.random(in: 0..<1_000_000_000, using: &generator)
        case .mostlySoon:
            now + Int64.random(in: 0..<(step % 50 == 0 ? 1 << 50 : 2000), using: &generator)
        case .allScales: now + (Int64(1) << Int64.random(in: 0..<60, using: &generator))
        case .falling: -Int64(step)
        case .anywhere: Int64.random(in: .min ... .max, using: &generator)
        }
    }

    @Test func keepsTheOrderOfManyEqualDeadlines() throws {
        var timers = try TimerQueue<Int>(limit: 20_000)
        for number in 0..<20_000 { try timers.add(at: Timestamp(secondsSinceEpoch: Int64(number % 2)), number) }
        let expected = Array(stride(from: 0, to: 20_000, by: 2)) + Array(stride(from: 1, to: 20_000, by: 2))
        #expect(popAll(&timers).map(\.payload) == expected)
    }

    @Test func aMillionTimers() throws {
        let seed: UInt64 = 7
        var generator = SeededGenerator(seed: seed)
        var timers = try TimerQueue<Int64>(limit: 1_000_000)
        var handles: [TimerHandle] = []
        for _ in 0..<1_000_000 {
            let time = Int64.random(in: 0..<1_000_000_000, using: &generator)
            handles.append(try timers.add(at: Timestamp(nanosecondsSinceEpoch: time), time))
        }
        #expect(throws: TimerError.full(limit: 1_000_000)) { try timers.add(at: .epoch, 0) }
        var cancelled = 0
        for index in stride(from: 0, to: handles.count, by: 3) where timers.cancel(handles[index]) != nil {
            cancelled += 1
        }
        #expect(cancelled == 333_334)
        var previous = Timestamp.distantPast
        var popped = 0
        var agrees = true
        while let (deadline, payload) = timers.popDue(upTo: .distantFuture) {
            agrees = agrees && deadline >= previous && deadline.nanosecondsSinceEpoch == payload
            previous = deadline
            popped += 1
        }
        #expect(agrees, "out of order, seed \(seed)")
        #expect(popped == 1_000_000 - cancelled)
        #expect(timers.isEmpty == true)
    }

    @Test func handlesGoStale() throws {
        var timers = try TimerQueue<String>(limit: 2)
        let popped = try timers.add(at: .epoch, "a")
        #expect(timers.isPending(popped) == true)
        #expect(timers.popDue(upTo: .epoch)?.payload == "a")
        #expect(timers.isPending(popped) == false)
        // The slot is taken again, by another timer.
        var current = try timers.add(at: .epoch, "b")
        #expect(timers.cancel(popped) == nil)
        let before = current
        #expect(timers.reschedule(&current, at: .distantFuture) == true)
        #expect(timers.isPending(before) == false)
        #expect(timers.nextDeadline == .distantFuture)
        #expect(timers.popDue(upTo: Timestamp(nanosecondsSinceEpoch: .max - 1)) == nil)
        #expect(timers.cancel(current) == "b")
        #expect(timers.nextDeadline == nil)
        #expect(timers.reschedule(&current, at: .epoch) == false)
    }

    @Test(arguments: [Int.min, -1, 0, 1 << 32])
    func refusesLimits(limit: Int) {
        #expect(throws: TimerError.invalidLimit(limit)) { _ = try TimerQueue<Int>(limit: limit) }
    }

    @Test func deinitialisesEveryPayloadOnce() throws {
        let census = Census()
        do {
            var timers = try TimerQueue<Counted>(limit: 100)
            var handles: [TimerHandle] = []
            for number in 0..<100 {
                handles.append(try timers.add(at: Timestamp(secondsSinceEpoch: Int64(number)), Counted(census)))
            }
            #expect(throws: TimerError.full(limit: 100)) { try timers.add(at: .epoch, Counted(census)) }
            #expect(census.count == 100)
            for handle in handles[50..<60] { timers.cancel(handle) }
            #expect(census.count == 90)
            for _ in 0..<10 { _ = timers.popDue(upTo: .distantFuture) }
            #expect(census.count == 80)
            timers.reschedule(&handles[20], at: .epoch)
            #expect(census.count == 80)
            timers.removeAll()
            #expect(census.count == 0)
            #expect(timers.isEmpty == true)
            for _ in 0..<30 { try timers.add(at: .epoch, Counted(census)) }
        }
        #expect(census.count == 0)
    }

    @Test func payloadsMayHaveNoSize() throws {
        var timers = try TimerQueue<Void>(limit: 3)
        for second in [3, 1, 2] { try timers.add(at: Timestamp(secondsSinceEpoch: Int64(second)), ()) }
        var seconds: [Timestamp] = []
        while let (deadline, _) = timers.popDue(upTo: .distantFuture) { seconds.append(deadline) }
        #expect(seconds == [1, 2, 3].map { Timestamp(secondsSinceEpoch: $0) })
    }

    private func popAll(_ timers: inout TimerQueue<Int>) -> [(deadline: Timestamp, payload: Int)] {
        var popped: [(Timestamp, Int)] = []
        while let next = timers.popDue(upTo: .distantFuture) { popped.append(next) }
        return popped
    }

    /// How many counted objects are alive.
    private final class Census: Sendable {
        let alive = Atomic(0)

        var count: Int { alive.load(ordering: .relaxed) }
    }

    private final class Counted: Sendable {
        private let census: Census

        init(_ census: Census) {
            self.census = census
            census.alive.add(1, ordering: .relaxed)
        }

        deinit {
            census.alive.subtract(1, ordering: .relaxed)
        }
    }

    /// A queue and its model, step by step.
    private struct Run: ~Copyable {
        private var timers: TimerQueue<Int>
        private var model = TimerModel()
        private(set) var handles: [TimerHandle] = []
        private(set) var agrees = true

        init(limit: Int) throws {
            timers = try TimerQueue(limit: limit)
        }

        mutating func add(at time: Int64) {
            let deadline = Timestamp(nanosecondsSinceEpoch: time)
            if let handle = try? timers.add(at: deadline, handles.count) {
                model.add(deadline, handles.count)
                handles.append(handle)
                check(model.timers.count <= timers.limit)
            } else {
                check(model.timers.count == timers.limit)
            }
        }

        mutating func cancel(number: Int) {
            guard handles.indices.contains(number) else { return }
            let wasPending = model.cancel(payload: number)
            let payload = timers.cancel(handles[number])
            check(payload == (wasPending ? number : nil))
        }

        mutating func reschedule(number: Int, at time: Int64) {
            guard handles.indices.contains(number) else { return }
            let deadline = Timestamp(nanosecondsSinceEpoch: time)
            let wasPending = model.cancel(payload: number)
            if wasPending { model.add(deadline, number) }
            let moved = timers.reschedule(&handles[number], at: deadline)
            check(moved == wasPending)
        }

        @discardableResult
        mutating func pop(upTo time: Int64) -> Timestamp? {
            let latest = Timestamp(nanosecondsSinceEpoch: time)
            let expected = model.popDue(upTo: latest)
            let popped = timers.popDue(upTo: latest)
            check(popped?.deadline == expected?.deadline)
            check(popped?.payload == expected?.payload)
            return popped?.deadline
        }

        mutating func drain() {
            while agrees, !model.timers.isEmpty { pop(upTo: .max) }
            pop(upTo: .max)
        }

        private mutating func check(_ holds: Bool) {
            let next = timers.nextDeadline
            let isSame = holds && timers.count == model.timers.count && next == model.timers.first?.deadline
            agrees = agrees && isSame
        }
    }
}
