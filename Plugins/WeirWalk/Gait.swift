public import WeirCore
internal import WeirRecords

/// Whether a person walks, and the reason for the answer.
public struct Gait: Event {
    /// What decided.
    public enum Reason: String, Sendable {
        /// The steps rise, and the speed is that of a walk.
        case walking
        /// The speed is too low.
        case slow
        /// The speed is too high.
        case fast
        /// The speed is that of a walk, but the step count does not rise: the person is driven.
        case noSteps = "no steps"
    }

    public let timestamp: Timestamp

    /// What decided.
    public let reason: Reason

    /// The step count when it last rose; `nil` where it never did.
    public let steps: Double?

    /// The speed, in metres per second.
    public let speed: Double

    /// How far the rise and the location are apart; `nil` where the step count never rose.
    public let interval: Duration?

    /// Whether it differs from the one before in whether it is walking; the first one does.
    public let isChange: Bool

    /// Whose gait it is.
    let group: Symbol

    /// Whether the person walks.
    public var isWalking: Bool { reason == .walking }
}
