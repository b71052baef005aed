import Testing
import Weir

/// How many steps a person has made, by the counter of a device.
struct StepCount: Event {
    let timestamp: Timestamp
    let steps: Int
}

/// How fast a person moves, by the positions of a device.
struct Movement: Event {
    let timestamp: Timestamp
    let metresPerSecond: Double
}

/// The walks of a person: from the first to the last moment at which steps and speed confirm each other.
func walks(
    _ counts: some EventStream<StepCount>,
    _ movements: some EventStream<Movement>
) -> some EventStream<WindowResult<Int>> {
    let rises = counts.followedBy { before, now in now.steps > before.steps }
    let speeds = movements.filter { 0.2 < $0.metresPerSecond && $0.metresPerSecond < 1.8 }
    return all(rises, speeds, within: .seconds(5), consumption: .consume)
        .sessions(gap: .seconds(30))
        .count()
        .having { $0 >= 3 }
}

@Suite struct WalksTests {
    @Test func stepsAndSpeedConfirmEachOther() {
        let (counts, movements) = (EventChannel<StepCount>(), EventChannel<Movement>())
        let found = Locked<[Range<Timestamp>]>([])
        walks(counts, movements).subscribe { walk in found.withLock { $0.append(walk.start..<walk.end) } }
        var steps = 0
        for second in 0..<300 {
            let time = Timestamp(secondsSinceEpoch: Int64(second))
            // A walk, a ride without steps, steps on the spot, and a second walk.
            let (hasSteps, speed) =
                switch second {
                case 20..<80: (true, 1.4)
                case 90..<150: (false, 9.0)
                case 150..<200: (true, 0.0)
                case 240..<280: (true, 1.0)
                default: (false, 0.0)
                }
            if hasSteps { steps += 2 }
            counts.publish(StepCount(timestamp: time, steps: steps))
            movements.publish(Movement(timestamp: time, metresPerSecond: speed))
            counts.advance(to: time)
            movements.advance(to: time)
        }
        counts.finish()
        movements.finish()
        let walks = found.withLock { $0 }
        #expect(walks.map(\.lowerBound) == [20, 240].map { Timestamp(secondsSinceEpoch: $0) })
        #expect(walks.count == 2 && walks[0].upperBound < Timestamp(secondsSinceEpoch: 120))
    }
}
