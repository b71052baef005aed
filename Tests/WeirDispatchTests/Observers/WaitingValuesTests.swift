import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite("values(): elements as an asynchronous sequence with back pressure")
struct WaitingValuesTests {
    private struct Broken: Error {}

    private let channel = EventChannel<Int>()

    @Test(arguments: [1, 3, 64])
    func aThreadWaitsForTheReader(capacity: Int) async throws {
        let dropped = SideOutput<Int>()
        let values = channel.values(capacity: capacity, dropped: dropped)
        let published = Locked(0)
        let publisher = EventProcessor(name: "publisher")
        try publisher.start()
        publisher.perform { [channel] in
            for number in 0..<1000 {
                channel.publish(number)
                published.withLock { $0 += 1 }
            }
            channel.finish()
        }
        var seen: [Int] = []
        for await number in values {
            #expect(published.withLock { $0 } <= number + capacity + 1)
            seen.append(number)
            if number % 10 == 0 { await Task.yield() }
        }
        #expect(seen == Array(0..<1000))
        #expect(dropped.count == 0)
        publisher.stop(.now)
    }

    @Test func breakLetsThePublisherGoOn() async throws {
        let values = channel.values(capacity: 1)
        let publisher = EventProcessor(name: "publisher")
        try publisher.start()
        let done = Locked(false)
        publisher.perform { [channel] in
            for number in 0..<100 { channel.publish(number) }
            done.withLock { $0 = true }
        }
        for await number in values where number == 3 { break }
        #expect(await eventually { done.withLock { $0 } })
        withExtendedLifetime(values) {}
        publisher.stop(.now)
    }

    @Test func cancellingTheTaskLetsThePublisherGoOn() async throws {
        let values = channel.values(capacity: 1)
        let publisher = EventProcessor(name: "publisher")
        try publisher.start()
        let task = Task { for await _ in values {} }
        task.cancel()
        await task.value
        let done = Locked(false)
        publisher.perform { [channel] in
            for number in 0..<100 { channel.publish(number) }
            done.withLock { $0 = true }
        }
        #expect(await eventually { done.withLock { $0 } })
        publisher.stop(.now)
    }

    @Test func lettingGoOfTheSequenceDetaches() async throws {
        let dropped = SideOutput<Int>()
        do {
            let values = channel.values(capacity: 1, dropped: dropped)
            withExtendedLifetime(values) { for number in 0..<3 { channel.publish(number) } }
        }
        // In a task a publisher cannot wait.
        #expect(dropped.count == 2)
        for number in 0..<3 { channel.publish(number) }
        #expect(dropped.count == 2)
    }

    @Test func whatTasksPublishWithoutRoomIsOffered() async {
        let dropped = SideOutput<Int>()
        let lost = Locked<[Int]>([])
        dropped.subscribe { number in lost.withLock { $0.append(number) } }
        let values = channel.values(capacity: 2, dropped: dropped)
        for number in 0..<5 { channel.publish(number) }
        channel.finish()
        var seen: [Int] = []
        for await number in values { seen.append(number) }
        #expect(seen == [0, 1])
        #expect(lost.withLock { $0 } == [2, 3, 4])
    }

    @Test(arguments: [Completion.finished, .interrupted, .failed(Broken())])
    func theEndIsToldAfterWhatWaits(completion: Completion) async {
        let values = channel.values()
        let throwing = channel.throwingValues()
        for number in 0..<3 { channel.publish(number) }
        channel.finish(completion)
        var seen: [Int] = []
        for await number in values { seen.append(number) }
        #expect(seen == [0, 1, 2])
        var found: Completion = .finished
        do {
            for try await number in throwing { seen.append(number) }
        } catch {
            found = Completion(throwing: error)
        }
        #expect(seen == [0, 1, 2, 0, 1, 2])
        #expect("\(found)" == "\(completion)")
    }
}
