/// Waits for a condition, letting other work of the main actor run; returns whether it came true in time.
@MainActor
func eventually(_ condition: () -> Bool) async -> Bool {
    let start = ContinuousClock.now
    while !condition() {
        guard ContinuousClock.now - start < .seconds(60) else { return false }
        await Task.yield()
    }
    return true
}
