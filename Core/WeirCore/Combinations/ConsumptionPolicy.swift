/// Whether an element may be part of more than one result.
///
/// Results do not depend on the order of arrival: equal elements with equal event times give equal results.
@frozen
public enum ConsumptionPolicy: Sendable, Hashable {
    /// Every combination is a result; emitted as soon as its last element arrives.
    case reuse

    /// An element is part of at most one result.
    ///
    /// Elements are matched in the order of their event times, each with the oldest free partners. So results are emitted
    /// when the watermark has passed their elements.
    case consume
}
