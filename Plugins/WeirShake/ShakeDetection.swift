internal import WeirCore
internal import WeirRecords
internal import WeirSelection
internal import WeirSequences

/// What makes a shake of readings: the plugin's pipeline with its settings.
struct ShakeDetection: Sendable {
    /// In the input's unit.
    let threshold: Double
    let quietPeriod: Duration
    let form: Shake.Form
    let groups: SymbolTable?

    /// The shakes in the readings of one device.
    func shakes(in readings: some GroupableStream<Reading>) -> some GroupableStream<Shake> {
        readings
            .followedBy { [threshold] previous, current in
                // A group can have the place of one that was forgotten.
                previous.group == current.group
                    && Shake.differs(previous, current, byMoreThan: threshold)
            }
            .oncePerBurst(quietPeriod: quietPeriod)
            .map { [form, groups] previous, current in
                Shake(previous, current, form: form, group: groups?.name(of: current.group))
            }
    }
}
