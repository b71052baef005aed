public import WeirCore
public import WeirGeography
public import WeirRecords

/// What one record says about a person's movement: what a pedometer counts, where and how fast a receiver finds them,
/// or both.
public struct Movement: Event {
    /// A location update.
    public struct Location: Sendable, Hashable {
        /// In metres per second, if the receiver reports it; not negative.
        public var speed: Double?

        /// The position, if the receiver reports it.
        public var position: GeographicPosition?
    }

    public let timestamp: Timestamp

    /// A pedometer update: how many steps were made since the count began.
    public let steps: Double?

    /// A location update that is accurate enough.
    public let location: Location?

    /// Whose movement it is.
    public let group: Symbol

    /// Creates a movement.
    ///
    /// - Parameters:
    ///   - timestamp: When it was measured.
    ///   - steps: How many steps were made since the count began.
    ///   - location: A location update that is accurate enough.
    ///   - group: Whose movement it is.
    public init(timestamp: Timestamp, steps: Double? = nil, location: Location? = nil, group: Symbol = .first) {
        self.timestamp = timestamp
        self.steps = steps
        self.location = location
        self.group = group
    }
}
