public import WeirCore
public import WeirRecords

/// A shake: two readings in a row that differ by more than the threshold on one axis.
public struct Shake: Event, FieldEncodable {
    /// An axis of the accelerometer.
    public enum Axis: String, Sendable {
        case x, y, z
    }

    /// The axis on which the readings differ most.
    public let axis: Axis

    /// How far they differ on that axis, in the input's unit; not negative.
    public let difference: Double

    /// The two readings.
    public let previous, current: Reading

    /// How the input writes its readings.
    let form: Form

    /// The group's name, where there are groups.
    let group: String?

    /// How an input writes its readings; complex events are written the same way.
    struct Form: Sendable {
        var time: TimeForm
        var unit: AccelerationUnit
    }

    /// The time of the second reading.
    public var timestamp: Timestamp { current.timestamp }

    init(_ previous: Reading, _ current: Reading, form: Form, group: String?) {
        (axis, difference) = Self.largestDifference(previous, current)
        self.previous = previous
        self.current = current
        self.form = form
        self.group = group
    }

    /// Whether two readings differ by more than a threshold on any axis.
    ///
    /// Which axis it is does not matter yet: for most pairs none of the comparisons holds, and a processor foresees that.
    @inline(__always)
    static func differs(_ previous: Reading, _ current: Reading, byMoreThan threshold: Double) -> Bool {
        // The largest, and one comparison: a processor guesses three worse than one.
        let x = (current.x - previous.x).magnitude
        let y = (current.y - previous.y).magnitude
        let z = (current.z - previous.z).magnitude
        let larger = x > y ? x : y
        return (larger > z ? larger : z) > threshold
    }

    /// The axis on which two readings differ most, and how far.
    @inline(__always)
    static func largestDifference(_ previous: Reading, _ current: Reading) -> (axis: Axis, difference: Double) {
        let x = (current.x - previous.x).magnitude
        let y = (current.y - previous.y).magnitude
        let z = (current.z - previous.z).magnitude
        if x >= y && x >= z { return (.x, x) }
        return y >= z ? (.y, y) : (.z, z)
    }

    public func encode(to writer: inout FieldWriter) {
        writer.write("time", timestamp, as: form.time)
        if let group { writer.write("group", group) }
        writer.write("axis", axis.rawValue)
        writer.write("difference", difference)
        writer.write("unit", form.unit.rawValue)
        writer.write("previous") { encode(previous, to: &$0) }
        writer.write("current") { encode(current, to: &$0) }
    }

    private func encode(_ reading: Reading, to writer: inout FieldWriter) {
        writer.write("time", reading.timestamp, as: form.time)
        writer.write("x", reading.x)
        writer.write("y", reading.y)
        writer.write("z", reading.z)
    }
}

/// The unit that an input counts accelerations in.
public enum AccelerationUnit: String, Sendable, CaseIterable {
    /// The standard acceleration of free fall.
    case g
    /// Thousandths of it.
    case milligravity = "mg"
    /// Metres per second squared.
    case metresPerSecondSquared = "m/s2"

    /// How many of the unit make one g; standard gravity is 9.80665 m/s² by definition (3rd CGPM, 1901).
    public var perGravity: Double {
        switch self {
        case .g: 1
        case .milligravity: 1000
        case .metresPerSecondSquared: 9.80665
        }
    }
}
