internal import Synchronization
internal import WeirCore

/// Keeps the threads of processors from their work, between two events, until it is ended.
final class ProcessorPause: Sendable {
    private let releases: [Parker]
    private let arrivalCount = Atomic<Int>(0)
    private let arrival = Parker()
    private let isOver = Atomic<Bool>(false)

    /// Asks the threads to stand still; those that do not run need not.
    init(of cores: [ProcessorCore]) {
        let running = cores.filter(\.isRunning)
        releases = running.map { _ in Parker() }
        for (core, release) in zip(running, releases) {
            core.add(
                .closure { [self, weak core] in
                    arrivalCount.wrappingAdd(1, ordering: .releasing)
                    arrival.unpark()
                    // Once the thread has ended, the one who adds work does it, and must not stand still.
                    while !isOver.load(ordering: .acquiring), core?.hasStopped == false { release.park() }
                }
            )
        }
    }

    /// Waits until all threads stand still.
    ///
    /// - Parameter deadline: On the monotonic clock.
    /// - Returns: Whether they do.
    func hasBegun(by deadline: Timestamp) -> Bool {
        while arrivalCount.load(ordering: .acquiring) < releases.count {
            guard arrival.park(until: deadline) else { return false }
        }
        return true
    }

    /// Lets the threads go on.
    func end() {
        isOver.store(true, ordering: .releasing)
        for release in releases { release.unpark() }
    }
}
