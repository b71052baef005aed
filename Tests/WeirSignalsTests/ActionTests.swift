import Testing
import WeirCore
import WeirSignals
import WeirTesting

@Suite @MainActor struct ActionTests {
    private enum Trouble: Error, Equatable {
        case negative
    }

    @Test func anActionPublishesValuesAndErrors() async throws {
        let clock = VirtualClock()
        let root = Action(clock: EventClock(clock)) { (number: Int) async throws(Trouble) -> Int in
            guard number >= 0 else { throw .negative }
            return number * number
        }
        let values = Recorder<Int>(root.values)
        let errors = Recorder<Trouble>(root.errors)
        #expect(try await root.run(3) == 9)
        await #expect(throws: ActionError.failed(Trouble.negative)) { try await root.run(-1) }
        #expect(values.elements == [9])
        #expect(errors.elements == [.negative])
        #expect(!root.isExecuting())
    }

    @Test func anActionIsDisabledWhileItRuns() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let action = Action { (number: Int) async -> Int in
            for await _ in gate { break }
            return number
        }
        var seen: [[Bool]] = []
        let observation = action.isExecuting.observe { seen.append([$0, action.isEnabled()]) }
        let first = Task { try await action.run(1) }
        while !action.isExecuting() { await Task.yield() }
        #expect(!action.isEnabled())
        await #expect(throws: ActionError<Never>.disabled) { try await action.run(2) }
        opener.yield()
        #expect(try await first.value == 1)
        #expect(seen == [[true, false], [false, true]])
        observation.cancel()
    }

    @Test func aConditionDisablesAnAction() async throws {
        let isReady = MutableSignal(false)
        let action = Action(enabledIf: isReady) { (number: Int) async -> Int in number }
        await #expect(throws: ActionError<Never>.disabled) { try await action.run(1) }
        isReady.value = true
        #expect(action.isEnabled())
        #expect(try await action.run(1) == 1)
    }

    @Test func itsStreamsEndWithTheAction() {
        let recorder = Recorder<Int>()
        do {
            let action = Action { (number: Int) async -> Int in number }
            action.values.attach(recorder.sink)
        }
        #expect(recorder.isFinished)
    }
}
