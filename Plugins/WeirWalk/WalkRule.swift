/// What counts as walking.
public struct WalkRule: Sendable, Hashable {
    /// A person whose speed is strictly between these two walks; in metres per second.
    public var slowest, fastest: Double

    /// A rise of the step count and a location confirm each other when they are at most this far apart.
    public var interval: Duration

    /// How far back positions are compared where no speed is given; positive.
    public var speedWindow: Duration

    /// Whether the step count must rise; otherwise the speed alone decides.
    public var needsSteps: Bool

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - slowest: Slower than this, or as slow, is standing; in metres per second.
    ///   - fastest: Faster than this, or as fast, is running or riding; in metres per second.
    ///   - interval: How far apart a rise of the step count and a location may be.
    ///   - speedWindow: How far back positions are compared where no speed is given; positive.
    ///   - needsSteps: Whether the step count must rise.
    public init(
        slowest: Double = 0.2,
        fastest: Double = 1.8,
        interval: Duration = .seconds(5),
        speedWindow: Duration = .seconds(60),
        needsSteps: Bool = true
    ) {
        precondition(slowest < fastest, "nobody walks faster than \(slowest) and slower than \(fastest) m/s")
        precondition(interval >= .zero, "an interval cannot be \(interval)")
        precondition(speedWindow > .zero, "a window cannot be \(speedWindow) long")
        self.slowest = slowest
        self.fastest = fastest
        self.interval = interval
        self.speedWindow = speedWindow
        self.needsSteps = needsSteps
    }
}
