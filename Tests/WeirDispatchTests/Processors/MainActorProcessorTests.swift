import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite struct MainActorProcessorTests {
    private struct Reading: Event, Equatable {
        let timestamp = Timestamp.epoch
        let value: Int
    }

    @MainActor private final class Panel {
        var seen: [Int] = []
        var contexts: [EventContext] = []
    }

    private let bus = EventBus()

    /// Waits for a condition, letting other work of the main actor run; returns whether it came true in time.
    @MainActor private func eventually(_ condition: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !condition() {
            guard ContinuousClock.now - start < .seconds(60) else { return false }
            await Task.yield()
        }
        return true
    }

    /// What is dispatched while the main actor does something else is handled by urgency.
    @Test @MainActor func theMostUrgentComesFirst() async {
        let (processor, panel) = (MainActorProcessor(bus: bus), Panel())
        processor.on(Reading.self) { reading, context in
            MainActor.preconditionIsolated()
            panel.seen.append(reading.value)
            panel.contexts.append(context)
        }
        Reading(value: 1).queue(on: bus)
        Reading(value: 2).queue(priority: .lowest, on: bus)
        Reading(value: 3).queue(priority: .highest, on: bus)
        Reading(value: 4).stack(priority: .low, on: bus)
        Reading(value: 5).stack(priority: .low, on: bus)
        Reading(value: 6).queue(on: bus)
        #expect(panel.seen.isEmpty)
        #expect(await eventually { panel.seen.count == 6 })
        #expect(panel.seen == [5, 4, 3, 1, 6, 2])
        #expect(panel.contexts.map(\.priority) == [.low, .low, .highest, .normal, .normal, .lowest])
        #expect(panel.contexts.map(\.order) == [.stack, .stack, .queue, .queue, .queue, .queue])
        #expect(processor.handledCount == 6)
    }

    /// An urgent event that comes while others are handled waits for one of them only.
    @Test @MainActor func aHandlerIsFollowedByWhatIsMoreUrgent() async {
        let (processor, panel) = (MainActorProcessor(bus: bus), Panel())
        let bus = bus
        processor.on(Reading.self) { reading, _ in
            panel.seen.append(reading.value)
            if reading.value == 1 { Reading(value: 100).queue(priority: .highest, on: bus) }
        }
        for value in 1...3 { Reading(value: value).queue(on: bus) }
        #expect(await eventually { panel.seen.count == 4 })
        #expect(panel.seen == [1, 100, 2, 3])
    }

    @Test @MainActor func manyThreadsSendAndNothingIsLost() async {
        let (processor, panel) = (MainActorProcessor(overflowPolicy: .block, bus: bus), Panel())
        let bus = bus
        processor.on(Reading.self) { reading, _ in panel.seen.append(reading.value) }
        let threads = ThreadPool(limit: 4, idleTime: .milliseconds(1))
        for first in 0..<4 {
            threads.perform {
                for value in 0..<5000 { Reading(value: first * 5000 + value).queue(on: bus) }
            }
        }
        #expect(await eventually { panel.seen.count == 20_000 })
        for first in 0..<4 {
            let own = panel.seen.filter { $0 / 5000 == first }
            #expect(own == Array(first * 5000..<(first + 1) * 5000))
        }
    }

    @Test @MainActor func whatFindsNoRoomIsCounted() async {
        let (processor, panel) = (MainActorProcessor(capacity: 4, bus: bus), Panel())
        processor.on(Reading.self) { reading, _ in panel.seen.append(reading.value) }
        for value in 0..<10 { Reading(value: value).queue(on: bus) }
        #expect(await eventually { processor.handledCount == 4 })
        #expect(panel.seen == [0, 1, 2, 3])
        #expect(processor.mailboxMetrics.total.dropped == 6)
    }

    /// With a slice of nothing, what the first handler starts runs before the last one.
    @Test @MainActor func otherWorkHasItsTurn() async {
        let (processor, panel) = (MainActorProcessor(slice: .zero, bus: bus), Panel())
        let others = Journal<Int>()
        processor.on(Reading.self) { reading, _ in
            panel.seen.append(reading.value)
            if reading.value == 0 { Task { others.add(panel.seen.count) } }
        }
        for value in 0..<100 { Reading(value: value).queue(on: bus) }
        #expect(await eventually { panel.seen.count == 100 })
        #expect(panel.seen == Array(0..<100))
        #expect(others.all.first ?? 100 < 100)
    }

    @Test @MainActor func aSliceMayBeWithoutEnd() async {
        let (processor, panel) = (MainActorProcessor(slice: .seconds(Int64.max), bus: bus), Panel())
        processor.on(Reading.self) { reading, _ in panel.seen.append(reading.value) }
        for value in 0..<3 { Reading(value: value).queue(on: bus) }
        #expect(await eventually { panel.seen == [0, 1, 2] })
    }

    @Test @MainActor func valuesShowTheLatest() async {
        let processor = MainActorProcessor(bus: bus)
        let value = processor.latest(Reading.self)
        #expect(value.event == nil)
        for number in 1...5 { Reading(value: number).queue(priority: .high, on: bus) }
        #expect(await eventually { value.event?.value == 5 })
        // Of what was pending, the newest alone was handled.
        #expect(processor.handledCount == 1)
        #expect(value.context?.priority == .high)
        value.cancel()
        Reading(value: 6).queue(on: bus)
        await Task.yield()
        #expect(value.event?.value == 5)
    }

    @Test @MainActor func aProcessorEndsItsListeners() async {
        let panel = Panel()
        weak var weakOwn: Tally?
        do {
            let (processor, own) = (MainActorProcessor(bus: bus), Tally())
            weakOwn = own
            processor.on(Reading.self) { reading, _ in
                panel.seen.append(reading.value)
                own.add()
            }
            Reading(value: 1).queue(on: bus)
        }
        Reading(value: 2).queue(on: bus)
        // What was pending has gone with the listener.
        #expect(await eventually { weakOwn == nil })
        #expect(panel.seen.isEmpty)
    }

    @Test @MainActor func anOwnerAndAHandleEndAListener() async {
        let (processor, panel) = (MainActorProcessor(bus: bus), Panel())
        var owner: Tally? = Tally()
        processor.on(Reading.self, owner: owner) { reading, _ in panel.seen.append(reading.value) }
        let subscription = processor.on(Reading.self) { reading, _ in panel.seen.append(-reading.value) }
        Reading(value: 1).queue(on: bus)
        #expect(await eventually { panel.seen.count == 2 })
        owner = nil
        Reading(value: 2).queue(on: bus)
        subscription.cancel()
        for _ in 0..<10 { await Task.yield() }
        #expect(panel.seen == [1, -1])
    }

    @Test(arguments: [EventProcessor.StopMode.draining, .now])
    @MainActor func aStopRefusesWhatComesAfter(mode: EventProcessor.StopMode) async {
        let (processor, panel) = (MainActorProcessor(bus: bus), Panel())
        processor.on(Reading.self) { reading, _ in panel.seen.append(reading.value) }
        Reading(value: 1).queue(on: bus)
        processor.stop(mode)
        Reading(value: 2).queue(on: bus)
        for _ in 0..<10 { await Task.yield() }
        #expect(panel.seen == (mode == .now ? [] : [1]))
    }
}
