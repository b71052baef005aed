extension Signal {
    /// Calls `body` with the value, now and after each cycle that has changed it; what a call has begun is ended before the
    /// next one.
    ///
    ///     let (city, unit, wind) = (MutableSignal("Ghent"), MutableSignal("km/h"), MutableSignal(3))
    ///     combine(city, unit).effect { shown, scope in
    ///         let updates = Task { print("updates of", shown.0) }
    ///         scope.onEnd { updates.cancel() }
    ///         wind.observe { print($0, shown.1) }.store(in: scope.observations)
    ///     }
    ///
    /// It runs for the signal that it is called on, and for no other that `body` reads: for several, combine them, or
    /// compute a value from them. Effects within effects are left to `scope.observations`.
    ///
    /// - Parameters:
    ///   - owner: Ends the effect when it has gone, at the next change; not kept alive.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it lasts until it is cancelled, also without the handle. Cancelling it ends what the last
    ///   call has begun.
    @discardableResult
    public func effect(
        owner: AnyObject? = nil,
        _ body: @escaping (Value, EffectScope) -> Void
    ) -> SignalObservation where Value: Equatable {
        effect(owner: owner, isUnchanged: ==, body)
    }

    /// Calls `body` with the value, now and after each cycle that has computed or set it; what a call has begun is ended before
    /// the next one.
    ///
    /// - Parameters:
    ///   - owner: Ends the effect when it has gone, at the next change; not kept alive.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it lasts until it is cancelled, also without the handle. Cancelling it ends what the last
    ///   call has begun.
    @discardableResult
    public func effect(
        owner: AnyObject? = nil,
        _ body: @escaping (Value, EffectScope) -> Void
    ) -> SignalObservation {
        effect(owner: owner, isUnchanged: { _, _ in false }, body)
    }

    private func effect(
        owner: AnyObject?,
        isUnchanged: @escaping (Value, Value) -> Bool,
        _ body: @escaping (Value, EffectScope) -> Void
    ) -> SignalObservation {
        let cell = cell
        var (last, scope) = (self(), EffectScope())
        let run = {
            guard !isUnchanged(last, cell.value) else { return }
            last = cell.value
            scope.end()
            // A new one: a call that sets the signal may go on after the next call, and what it begins then is over.
            scope = EffectScope()
            body(last, scope)
        }
        // What a checkpoint has given back is no change, but the effect of the value before it has to go.
        let observation = SignalObservation(self, node, owner, renewing: run, ending: { scope.end() }, run)
        body(last, scope)
        return observation
    }
}

/// What a call of an effect has begun, and what ends it.
///
/// It is ended before the effect's next call, when the effect is cancelled, and when its owner has gone: first the
/// observations, then the closures, the last one first. It stays where its signal is.
public final class EffectScope {
    /// Observations, and effects within the effect, that last until then.
    public let observations = ObservationBag()

    private var closures: [() -> Void] = []
    private var isOver = false

    init() {}

    /// Has a closure called at the end of what the effect's call has begun.
    ///
    /// - Parameter closure: Called once; at once where that has ended in the meantime.
    public func onEnd(_ closure: @escaping () -> Void) {
        guard !isOver else { return closure() }
        closures.append(closure)
    }

    func end() {
        isOver = true
        observations.cancel()
        while let closure = closures.popLast() { closure() }
    }
}
