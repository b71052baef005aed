// Why a rule goes on no more, as a checkpoint has it.
extension PatternFailure {
    var fields: [String] {
        switch self {
        case .limitReached(let limit): ["limit", limit]
        case .nothingToSkipTo(let stage): ["nothing", stage]
        case .skipsNowhere(let stage): ["nowhere", stage]
        }
    }

    /// - Parameter fields: What ``fields`` was; `nil` is made of anything else.
    init?(fields: [String]) {
        guard fields.count == 2 else { return nil }
        switch fields[0] {
        case "limit": self = .limitReached(fields[1])
        case "nothing": self = .nothingToSkipTo(stage: fields[1])
        case "nowhere": self = .skipsNowhere(stage: fields[1])
        default: return nil
        }
    }
}
