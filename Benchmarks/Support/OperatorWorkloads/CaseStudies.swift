internal import CommonStream
internal import Comparing
internal import OpenCombine
internal import WeirCore
internal import WeirFlow
internal import WeirSelection
internal import WeirSequences

/// The two applications of the CEPSwift thesis, on the common stream, as it compares them: by lines and by time.
///
/// A shake is a value that differs from the one before by more than 0.9; of those within a second the first counts. A walk is
/// a step (an event of type A) with a speed (the latest value of type B) between 0.2 and 0.8 that is at most 5 s old. What
/// stands between the marks is counted by a test, for the article "Case studies".
enum CaseStudies {
    static func shakes(_ readings: EventChannel<StreamEvent>) -> some EventStream<StreamEvent> {
        // shakes, Weir
        readings
            .followedBy { before, now in (now.value - before.value).magnitude > 0.9 }
            .map { _, now in now }
            .throttle(for: .seconds(1))
        // end
    }

    static func shakes(_ readings: PassthroughSubject<StreamEvent, Never>) -> AnyPublisher<StreamEvent, Never> {
        // shakes, OpenCombine
        struct Pair {
            var before: StreamEvent?
            var now: StreamEvent?
        }
        struct Throttled {
            var until = Timestamp.distantPast
            var emitted: StreamEvent?
        }
        return
            readings
            .scan(Pair()) { pair, now in Pair(before: pair.now, now: now) }
            .compactMap { pair -> StreamEvent? in
                guard let before = pair.before, let now = pair.now else { return nil }
                return (now.value - before.value).magnitude > 0.9 ? now : nil
            }
            .scan(Throttled()) { state, shake in
                guard shake.timestamp >= state.until else { return Throttled(until: state.until, emitted: nil) }
                return Throttled(until: shake.timestamp + .seconds(1), emitted: shake)
            }
            .compactMap { $0.emitted }
            .eraseToAnyPublisher()
        // end
    }

    static func walks(_ movements: EventChannel<StreamEvent>) -> some EventStream<StreamEvent> {
        // walks, Weir
        movements.filter { $0.type == 0 }
            .withLatest(from: movements.filter { $0.type == 1 })
            .filter { step, speed in
                0.2 < speed.value && speed.value < 0.8 && step.timestamp - speed.timestamp <= .seconds(5)
            }
            .map { step, _ in step }
        // end
    }

    static func walks(_ movements: PassthroughSubject<StreamEvent, Never>) -> AnyPublisher<StreamEvent, Never> {
        // walks, OpenCombine
        struct Joined {
            var speed: StreamEvent?
            var step: StreamEvent?
        }
        return
            movements
            .scan(Joined()) { joined, event in
                switch event.type {
                case 0: Joined(speed: joined.speed, step: event)
                case 1: Joined(speed: event, step: nil)
                default: Joined(speed: joined.speed, step: nil)
                }
            }
            .compactMap { joined -> StreamEvent? in
                guard let step = joined.step, let speed = joined.speed else { return nil }
                let isWalk = 0.2 < speed.value && speed.value < 0.8
                return isWalk && step.timestamp - speed.timestamp <= .seconds(5) ? step : nil
            }
            .eraseToAnyPublisher()
        // end
    }

    // MARK: Runs

    static func run(
        _ events: [StreamEvent],
        _ build: (EventChannel<StreamEvent>) -> some EventStream<StreamEvent>
    ) -> Tally {
        let channel = EventChannel<StreamEvent>()
        let tally = SharedCell(Tally())
        let subscription = build(channel).subscribe { event in tally.withValue { $0.add(event.value) } }
        for event in events { channel.publish(event) }
        subscription.cancel()
        return tally.withValue { $0 }
    }

    static func run(
        _ events: [StreamEvent],
        _ build: (PassthroughSubject<StreamEvent, Never>) -> AnyPublisher<StreamEvent, Never>
    ) -> Tally {
        let subject = PassthroughSubject<StreamEvent, Never>()
        var tally = Tally()
        let subscription = build(subject).sink { tally.add($0.value) }
        for event in events { subject.send(event) }
        subscription.cancel()
        return tally
    }

    static func loopOfShakes(_ events: [StreamEvent]) -> Tally {
        var (tally, until, before) = (Tally(), Timestamp.distantPast, StreamEvent?.none)
        for event in events {
            if let before, (event.value - before.value).magnitude > 0.9, event.timestamp >= until {
                tally.add(event.value)
                until = event.timestamp + .seconds(1)
            }
            before = event
        }
        return tally
    }

    static func loopOfWalks(_ events: [StreamEvent]) -> Tally {
        var (tally, speed) = (Tally(), StreamEvent?.none)
        for event in events {
            if event.type == 1 { speed = event }
            guard event.type == 0, let speed, 0.2 < speed.value, speed.value < 0.8 else { continue }
            if event.timestamp - speed.timestamp <= .seconds(5) { tally.add(event.value) }
        }
        return tally
    }
}
