/// What a sink publishes, and how.
struct NATSLinkSettings: Sendable {
    var subject: String

    /// The stream that confirms each message; without one, the server confirms that it has taken what was sent.
    var stream: String?

    /// How many messages may wait for their confirmation.
    var window = 1024

    /// How long a confirmation may take.
    var timeout = Duration.seconds(5)
}
