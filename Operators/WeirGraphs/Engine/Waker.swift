/// Wakes a stage to take its input; from any thread.
@usableFromInline
struct Waker: Sendable {
    let island: Island
    let index: Int

    func callAsFunction() {
        island.wake(index)
    }
}
