/// Makes a stage look for what it has been given; from any thread.
@usableFromInline
struct Waker: Sendable {
    let island: Island
    let index: Int

    func callAsFunction() {
        island.wake(index)
    }
}
