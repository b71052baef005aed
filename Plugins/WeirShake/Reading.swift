public import WeirCore
public import WeirRecords

/// A reading of an accelerometer, in the input's own unit.
@frozen
public struct Reading: Event {
    public let timestamp: Timestamp

    /// The acceleration along each axis, gravity included.
    public let x, y, z: Double

    /// What the reading belongs to: readings of different groups are never neighbours.
    public let group: Symbol

    /// Creates a reading.
    public init(timestamp: Timestamp, x: Double, y: Double, z: Double, group: Symbol = .first) {
        self.timestamp = timestamp
        self.x = x
        self.y = y
        self.z = z
        self.group = group
    }
}
