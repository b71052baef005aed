import Testing
import WeirCore
import WeirDispatch

@Suite struct ThrowingValuesTests {
    private struct Temperature: Event {
        var timestamp = Timestamp.epoch
        let celsius: Double
    }

    @Test(arguments: [false, true])
    func asynchronousLoopsThrowWhatTheStreamFailsWith(fails: Bool) async {
        struct Broken: Error {}
        let channel = EventChannel<Temperature>()
        let dropped = SideOutput<Temperature>()
        let values = channel.throwingDroppingValues(.oldest(2), dropped: dropped)
        for celsius in [1.0, 2, 3] { channel.publish(Temperature(celsius: celsius)) }
        channel.finish(fails ? .failed(Broken()) : .finished)
        var received: [Double] = []
        var isBroken = false
        do {
            for try await temperature in values { received.append(temperature.celsius) }
        } catch {
            isBroken = error is Broken
        }
        #expect(received == [1, 2], "what waits comes before the error")
        #expect(isBroken == fails)
        #expect(dropped.count == 1)
    }
}
