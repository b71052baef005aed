internal import WeirCore

/// The observation of a signal's changes.
///
/// It lasts until it is cancelled, and keeps the signal alive until then. Letting go of the handle changes nothing.
/// It is ended by:
///
/// - ``cancel()``;
/// - an ``ObservationBag`` that it is left to with ``store(in:)``, when it goes;
/// - an `owner:` that was named where it was made, or the target of a binding, when it has gone.
///
/// A signal that is observed and refers to nothing else stays in memory until then: leave observations to a bag.
public final class SignalObservation {
    // What it needs while it lasts; released at its end, because it may refer to the observation in turn.
    private struct Contents {
        let signal: AnyObject
        let node: SignalNode
        let action: () -> Void
        let renewal: () -> Void
        let ending: (() -> Void)?
        weak var owner: AnyObject?
        let hasOwner: Bool
        let itself: SignalObservation
    }

    private var contents: Contents?
    var place = 0

    @usableFromInline
    init(
        _ signal: AnyObject,
        _ node: SignalNode,
        _ owner: AnyObject?,
        renewing renewal: @escaping () -> Void,
        ending: (() -> Void)? = nil,
        _ action: @escaping () -> Void
    ) {
        place = node.audience.add(self)
        contents = Contents(
            signal: signal,
            node: node,
            action: action,
            renewal: renewal,
            ending: ending,
            owner: owner,
            hasOwner: owner != nil,
            itself: self
        )
    }

    /// Whether it has ended.
    public var isCancelled: Bool { contents == nil }

    /// Ends the observation; ending it again does nothing.
    ///
    /// Takes effect at once, also from inside an observer.
    public func cancel() {
        guard let ended = contents.take() else { return }
        ended.node.audience.removeObservation(at: place)
        ended.ending?()
    }

    /// Leaves the observation to a bag, which ends it when it goes.
    ///
    ///     pressure.observe { print($0) }.store(in: bag)
    ///
    /// - Parameter bag: The bag.
    public func store(in bag: ObservationBag) {
        bag.insert(self)
    }

    func tell() {
        guard let action = contents?.action else { return }
        if contents?.hasOwner == true, contents?.owner == nil { return cancel() }
        action()
    }

    /// Notes a value that a checkpoint has given back, which is no change.
    func renew() {
        contents?.renewal()
    }
}
