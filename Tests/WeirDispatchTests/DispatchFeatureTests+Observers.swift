import Observation
import Testing
import WeirCore
import WeirDispatch

/// Observers, user interfaces and asynchronous loops.
extension DispatchFeatureTests {
    @Test func observersAreToldThroughTheirProtocolAndNotKeptAlive() {
        let observers = ObserverList<any TemperatureObserver>()
        let first = Display()
        var second: Display? = Display()
        observers.add(first)
        observers.add(first)
        if let second { observers.add(second) }
        #expect(observers.count == 2)
        observers.notify { $0.temperatureDidChange(to: 20) }
        second = nil
        observers.notify { $0.temperatureDidChange(to: 21) }
        #expect(observers.count == 1)
        observers.remove(first)
        observers.notify { $0.temperatureDidChange(to: 22) }
        #expect(first.log.all == [20, 21])
    }

    @Test @MainActor func userInterfacesCanFollowTheLatestValue() async {
        let latest = bus.latest(Temperature.self)
        let changed = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = latest.event
        } onChange: {
            changed.continuation.yield()
        }
        for celsius in [1.0, 2, 3] { bus.queue(Temperature(celsius: celsius), priority: .high) }
        for await _ in changed.stream.prefix(1) {}
        // The change is announced before it is made.
        await Task.yield()
        #expect(latest.event == Temperature(celsius: 3))
        #expect(latest.context?.priority == .high)
    }

    @Test func asynchronousLoopsCanFollowAStream() async {
        let channel = EventChannel<Temperature>()
        let dropped = SideOutput<Temperature>()
        let values = channel.droppingValues(.newest(2), dropped: dropped)
        for celsius in [1.0, 2, 3] { channel.publish(Temperature(celsius: celsius)) }
        channel.finish()
        var received: [Double] = []
        for await temperature in values { received.append(temperature.celsius) }
        #expect(received == [2, 3])
        #expect(dropped.count == 1)
    }
}

protocol TemperatureObserver: AnyObject, Sendable {
    func temperatureDidChange(to celsius: Double)
}

final class Display: TemperatureObserver {
    let log = Journal<Double>()

    func temperatureDidChange(to celsius: Double) {
        log.add(celsius)
    }
}
