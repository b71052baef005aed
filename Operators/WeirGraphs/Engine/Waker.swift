internal import WeirCore

/// Wakes a stage to take its input; from any thread.
///
/// It does not keep the graph alive: what a stage keeps for checkpoints, such as a boundary, has wakers, and belongs to the
/// island.
@usableFromInline
struct Waker: Sendable {
    private weak var island: Island?
    private let index: Int

    init(_ island: Island, _ index: Int) {
        self.island = island
        self.index = index
    }

    func callAsFunction() {
        island?.wake(index)
    }

    /// Wakes the stage at a time of the run's clock.
    func wake(at time: Timestamp) {
        guard let island else { return }
        island.run.wake(island, index, at: time)
    }
}
