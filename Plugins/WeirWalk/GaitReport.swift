internal import WeirCore
internal import WeirRecords

/// A gait as it is written out.
struct GaitReport: FieldEncodable {
    let gait: Gait
    let group: String?
    let timeForm: TimeForm

    func encode(to writer: inout FieldWriter) {
        writer.write("time", gait.timestamp, as: timeForm)
        if let group { writer.write("group", group) }
        writer.write("walking", gait.isWalking)
        writer.write("reason", gait.reason.rawValue)
        if let steps = gait.steps { writer.write("steps", steps) }
        writer.write("speed", gait.speed)
        if let interval = gait.interval { writer.write("interval", Double(interval.wholeNanoseconds) / 1e9) }
    }
}
