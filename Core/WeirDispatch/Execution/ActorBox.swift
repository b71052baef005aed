internal import WeirCore

/// What belongs to an actor and is kept elsewhere: touched, and released, only there.
final class ActorBox<Value>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the box is made on the actor; the value is touched only with the actor isolated,
    // and in `deinit`, when nobody else has the box. There it is only moved into another box, which the actor empties.
    // When the actor itself has gone, nothing is left that the value could be in the way of.

    private let actor: WeakReference
    private var value: Value?

    /// Puts a value of an actor into a box; called on the actor.
    init(_ value: Value, of actor: any Actor) {
        self.actor = WeakReference(actor)
        self.value = value
    }

    deinit {
        guard let last = value.take(), let actor = actor.object as? any Actor else { return }
        let box = ActorBox(last, of: actor)
        Task { await box.empty(on: actor) }
    }

    private func empty(on actor: isolated any Actor) {
        value = nil
    }

    /// Releases the value; called on the actor.
    func empty() {
        value = nil
    }

    /// Calls `body` with the value, if it is still there; called on the actor.
    func use(_ body: (Value) -> Void) {
        if let value { body(value) }
    }
}
