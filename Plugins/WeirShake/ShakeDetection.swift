internal import WeirCore
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
    func shakes(in readings: some EventStream<Reading>) -> some EventStream<Shake> {
        readings
            .followedBy { [threshold] previous, current in
                Shake.largestDifference(previous, current).difference > threshold
            }
            .map { [form, groups] previous, current in
                Shake(previous, current, form: form, group: groups?.name(of: current.group))
            }
            .oncePerBurst(quietPeriod: quietPeriod)
    }
}
