/// How fast a recording is played.
public enum ReplaySpeed: Sendable, Hashable {
    /// With the distances in time of the recording.
    case realTime
    /// This factor as fast; below 1 slower.
    case times(Double)
    /// Without waiting.
    case unpaced

    /// Reads a speed: `max`, or a positive number with an `x` behind it, such as `10x`.
    ///
    /// - Parameter text: What was written.
    public init?(_ text: String) {
        if text == "max" {
            self = .unpaced
            return
        }
        guard text.hasSuffix("x"), let times = Double(text.dropLast()), times.isFinite, times > 0 else { return nil }
        self = times == 1 ? .realTime : .times(times)
    }
}
