import Foundation
import Testing
import Weir

struct Temperature: Event {
    let timestamp: Timestamp
    let celsius: Double
}

enum Rating: Sendable {
    case fine, hot, alarming
}

/// Rates each temperature on a thread of its own; what is alarming overtakes all else.
final class TemperatureRater: Sendable {
    private let processor: EventProcessor

    init(bus: EventBus) {
        processor = EventProcessor(name: "ratings", bus: bus)
        processor.on(Temperature.self) { temperature, _ in
            let rating: Rating = temperature.celsius > 90 ? .alarming : temperature.celsius > 30 ? .hot : .fine
            bus.queue(rating, priority: rating == .alarming ? .highest : .normal)
        }
    }

    func start() throws { try processor.start() }

    func stop() async throws {
        processor.stop()
        try await processor.stopped()
    }
}

/// What a screen shows: observable values that change on the main actor, the most urgent first.
@MainActor
final class TemperatureModel {
    let rating: LatestValue<Rating>
    private(set) var alarmCount = 0
    private let events: MainActorProcessor

    init(bus: EventBus) {
        events = MainActorProcessor(bus: bus)
        rating = events.latest(Rating.self)
        events.on(Rating.self, filter: .where { $0 == .alarming }, owner: self) { [weak self] _, _ in
            self?.alarmCount += 1
        }
    }
}

@Suite struct TemperatureControlTests {
    @Test @MainActor func ratingsReachTheScreen() async throws {
        let bus = EventBus()
        let (rater, model) = (TemperatureRater(bus: bus), TemperatureModel(bus: bus))
        for celsius in [20, 40, 95, 35.0] { bus.queue(Temperature(timestamp: .epoch, celsius: celsius)) }
        try rater.start()
        try await rater.stop()
        #expect(await eventually { model.alarmCount == 1 && model.rating.event == .hot })
    }
}
