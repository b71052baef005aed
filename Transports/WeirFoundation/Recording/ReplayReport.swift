/// What became of the events of a recording.
public struct ReplayReport: Sendable, Hashable {
    /// How many events of each type were handed to handlers.
    public internal(set) var delivered: [String: Int] = [:]

    /// How many events there were of types that were not asked for.
    public internal(set) var unknown: [String: Int] = [:]

    /// How many events of each type could not be decoded as the type that was asked for.
    public internal(set) var undecodable: [String: Int] = [:]

    /// Why the first of these could not be decoded.
    public internal(set) var firstDecodingFailure: String?

    /// How many bytes at the end were those of an event that was never completed.
    public internal(set) var cutBytes = 0

    /// How many events were handed to handlers.
    public var deliveredCount: Int { delivered.values.reduce(0, +) }

    /// How many events were not.
    public var skippedCount: Int { unknown.values.reduce(0, +) + undecodable.values.reduce(0, +) }

    /// Creates the report of nothing.
    public init() {}
}
