import Testing
import Weir

struct Motion: Event, Equatable {
    let timestamp: Timestamp
    let x, y, z: Double
}

/// What delivers motions: on a device its sensors, in a test a list.
protocol MotionSource {
    /// Calls `receive` with each motion, in order, on any thread.
    func start(_ receive: @escaping @Sendable (Motion) -> Void)
}

/// Finds shakes in the motions of a source.
final class ShakeDetector: Sendable {
    let shakes = EventChannel<Motion>()
    private let motions = EventChannel<Motion>()

    /// - Parameter threshold: How much the acceleration has to change from one motion to the next, in *g*.
    init(threshold: Double = 1.5) {
        let shakes = shakes
        motions.followedBy { before, now in
            let (x, y, z) = (now.x - before.x, now.y - before.y, now.z - before.z)
            return x * x + y * y + z * z > threshold * threshold
        }.map { _, now in now }.throttle(for: .seconds(1)).subscribe { motion in shakes.publish(motion) }
    }

    func follow(_ source: some MotionSource) {
        let motions = motions
        source.start { motions.publish($0) }
    }
}

@Suite struct MotionTests {
    private struct Recording: MotionSource {
        let motions: [Motion]

        func start(_ receive: @escaping @Sendable (Motion) -> Void) {
            for motion in motions { receive(motion) }
        }
    }

    @Test func aBurstIsOneShake() {
        let motions = (0..<200).map { index in
            let isShaken = (50..<60).contains(index) || index == 180
            return Motion(
                timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index) * 20_000_000),
                x: isShaken && index % 2 == 0 ? 2 : 0,
                y: 0,
                z: 1
            )
        }
        let detector = ShakeDetector()
        let shakes = Locked<[Motion]>([])
        detector.shakes.subscribe { motion in shakes.withLock { $0.append(motion) } }
        detector.follow(Recording(motions: motions))
        #expect(shakes.withLock { $0 } == [motions[50], motions[180]])
    }
}
