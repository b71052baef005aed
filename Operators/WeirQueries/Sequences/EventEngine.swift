/// What finds matches of one rule.
///
/// Events are numbers to it, which its owner gives: it keeps an event when it is asked for its number, and has one holder
/// less for each that the engine releases.
protocol EventEngine {
    /// Starts with the next event, which is not before the one before it.
    ///
    /// - Parameters:
    ///   - time: Its time.
    ///   - found: What is certain now is appended to it.
    mutating func begin(at time: Int64, found: inout FoundMatches)

    /// Takes the event under one of its keys.
    ///
    /// - Parameters:
    ///   - satisfied: The steps that it satisfies, of those with this key.
    ///   - time: Its time.
    ///   - key: The key.
    ///   - event: Its number; `FoundMatches.missing` as long as it is not kept.
    ///   - keep: Keeps the event for one more holder, and returns its number.
    ///   - found: Matches are appended to it.
    mutating func receive(
        _ satisfied: StepBits,
        at time: Int64,
        key: EventKey,
        event: inout UInt32,
        keep: (UInt32) -> UInt32,
        found: inout FoundMatches
    )
}
