/// Whether an element that took part in a result may take part in another one.
///
/// Neither choice lets the order of arrival decide: the same elements with the same event times give the same results.
@frozen
public enum Reuse: Sendable, Hashable {
    /// Every combination is a result; emitted as soon as its last element arrives.
    case reuse

    /// An element is part of at most one result.
    ///
    /// Elements are taken in the order of their event times, and each takes the oldest partners that are free. So
    /// nothing can be said before the watermark has passed an element: results are emitted then.
    case consume
}
