/// What to do with an element when the place where it would have to wait is full.
@frozen
public enum OverflowPolicy: Sendable, Hashable {
    /// The publisher waits until there is room. Nothing is lost.
    ///
    /// But for one case: an event whose publisher is what makes the room, or is waited for by it, directly or through
    /// others, could wait for ever. It is dropped, and counted as the publisher's own.
    case block

    /// The new element is dropped and counted.
    case dropNewest

    /// The element that has waited longest is dropped and counted, and the new one takes its place.
    case dropOldest

    /// Only the newest waiting element counts: a new one replaces all that wait, full or not. Replaced ones are
    /// counted as dropped.
    case latest

    /// The stream fails with ``ChannelError/overflow(capacity:)`` after what is already waiting.
    case fail
}
