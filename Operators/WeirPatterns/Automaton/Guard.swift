/// When an edge of an automaton may be followed: a formula over the truth of the conditions.
@usableFromInline
indirect enum Guard: Sendable, Hashable {
    case always
    case condition(ConditionID)
    case not(Guard)
    case and(Guard, Guard)
    case or(Guard, Guard)

    /// Whether the formula holds where only some conditions are known; `nil` where the others decide.
    ///
    /// - Parameters:
    ///   - truth: A bit for each condition that holds.
    ///   - unknown: A bit for each condition that has not been looked at.
    /// - Returns: Whether it holds; `nil` if that is open.
    func value(_ truth: UInt64, unknown: UInt64) -> Bool? {
        switch self {
        case .always: return true
        case .condition(let id):
            let bit: UInt64 = 1 << UInt64(id)
            return unknown & bit != 0 ? nil : truth & bit != 0
        case .not(let guarded): return guarded.value(truth, unknown: unknown).map { !$0 }
        case .and(let left, let right):
            let (left, right) = (left.value(truth, unknown: unknown), right.value(truth, unknown: unknown))
            if left == false || right == false { return false }
            return left == nil || right == nil ? nil : true
        case .or(let left, let right):
            let (left, right) = (left.value(truth, unknown: unknown), right.value(truth, unknown: unknown))
            if left == true || right == true { return true }
            return left == nil || right == nil ? nil : false
        }
    }

    /// A bit for each condition that the formula mentions.
    var mentioned: UInt64 {
        switch self {
        case .always: 0
        case .condition(let id): 1 << UInt64(id)
        case .not(let guarded): guarded.mentioned
        case .and(let left, let right), .or(let left, let right): left.mentioned | right.mentioned
        }
    }

    /// The formula with the conditions' texts.
    func description(_ texts: [String]) -> String {
        switch self {
        case .always: return "true"
        case .condition(let id): return texts[id]
        case .not(.condition(let id)): return "not \(texts[id])"
        case .not(let guarded): return "not (\(guarded.description(texts)))"
        case .and(let left, let right):
            return "\(left.operand(texts)) and \(right.operand(texts))"
        case .or(let left, let right):
            return "\(left.operand(texts)) or \(right.operand(texts))"
        }
    }

    private func operand(_ texts: [String]) -> String {
        switch self {
        case .and, .or: "(\(description(texts)))"
        default: description(texts)
        }
    }

    /// Both, without what is trivially true.
    static func both(_ left: Guard, _ right: Guard) -> Guard {
        if left == .always { return right }
        if right == .always { return left }
        return .and(left, right)
    }
}
