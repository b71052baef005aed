/// When a recorder hands what it has to the operating system.
///
/// What was handed over survives the death of the process; see ``EventRecorder`` for the death of the machine.
public enum FlushPolicy: Sendable, Hashable {
    /// After this number of events.
    case everyEvents(Int)
    /// As soon as this number of bytes waits.
    case everyBytes(Int)
    /// Only when the recorder's buffer of 64 KiB is full, when asked to, and when it is closed.
    case whenFull
}
