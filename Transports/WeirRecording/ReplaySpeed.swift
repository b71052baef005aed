/// How fast a recording is played.
public enum ReplaySpeed: Sendable, Hashable {
    /// With the distances in time of the recording.
    case realTime
    /// So many times as fast; below 1 slower.
    case times(Double)
    /// Without waiting.
    case unpaced
}
