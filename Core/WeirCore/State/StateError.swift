/// Why a checkpoint could not be made or restored.
///
/// The description is one line that says what is wrong, where, and what to do.
public enum StateError: Error, Equatable, Sendable {
    /// An operator does not say what it remembers.
    case unsaveable(operator: String)

    /// A type cannot be saved: what it is, where it was found, and why not.
    case unsaveableType(String, path: String, reason: String)

    /// The bytes are not those of a checkpoint, or were changed or cut off.
    case damaged(String, offset: Int)

    /// The checkpoint was made by a later version of the engine.
    case unknownVersion(UInt32)

    /// The checkpoint was made by another pipeline, and what does not fit was not to be dropped.
    case mismatch(RestoreReport)

    /// What is to be saved or restored is at work on the thread that asks.
    case busy(String)

    /// What is to be saved did not come to rest in time.
    case unsettled(String)

    /// Two parts of the pipeline have the same name.
    case repeatedName(String)
}

extension StateError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsaveable(let name):
            "\(name) does not say what it remembers: implement exchangeState(_:) there"
        case .unsaveableType(let type, let path, let reason):
            "\(type) cannot be saved, found at \(path): \(reason)"
        case .damaged(let what, let offset):
            "the checkpoint is damaged at byte \(offset): \(what); use an earlier one"
        case .unknownVersion(let version):
            "the checkpoint has format version \(version), this program reads up to \(Checkpoint.formatVersion)"
        case .mismatch(let report):
            "the checkpoint is of another pipeline (\(report)): restore it there, or drop what does not fit"
        case .busy(let what):
            "\(what) is at work on this thread: save and restore outside its sinks"
        case .unsettled(let what):
            "\(what) did not come to rest: stop what publishes there, start its processors, and save it again"
        case .repeatedName(let name):
            "two sections of the state are \(name): give the operators different names with named(_:)"
        }
    }
}
