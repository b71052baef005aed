public import WeirCore

/// The parts of a post that the plugin uses.
public struct Post: Event {
    public let timestamp: Timestamp

    /// What it says.
    public let text: String

    /// How many people follow its author; not negative.
    public let followers: Double

    /// The service's identifier of the post; empty if unknown.
    public let id: String

    /// Creates a post.
    ///
    /// - Parameters:
    ///   - timestamp: When it was posted.
    ///   - text: What it says.
    ///   - followers: How many people follow its author; not negative.
    ///   - id: What the service calls the post.
    public init(timestamp: Timestamp, text: String, followers: Double, id: String = "") {
        self.timestamp = timestamp
        self.text = text
        self.followers = followers
        self.id = id
    }

    /// How much its author counts.
    public var weight: Double { 1 + 1.01 * followers }
}
