/// A value that is computed from signals when it is asked for, and kept until one of them has changed.
///
///     let prices = MutableSignal([20.0, 30.0, 10.0])
///     let ranking = LazySignal { prices().sorted() }
///     prices.value.append(25)    // computes nothing
///     ranking()                  // sorts once
///     ranking()                  // does not
///
/// For what is costly, and not wanted after each change: a `Signal` is computed with each change, so that its readers and
/// observers are told of real changes only. Expressions may read a lazy signal as any other. They are computed again when
/// something that it depends on has changed, whether or not its own value comes out as another one: that is not known before.
/// So what observes it is a signal that reads it: `Signal { ranking() }.observe { … }`.
///
/// Lives where the signals live that it reads, and retains them from its computation to their next change.
///
/// - Complexity: Reading is O(1) while nothing has changed; a change is O(1) beside that of its readers.
public final class LazySignal<Value> {
    /// What the node's computation shares with this; in an object, to be shared.
    private final class State {
        var value: Value?
        var isStale = true
    }

    private let node: SignalNode
    private let state = State()
    private let expression: () -> Value

    /// Creates a signal that is computed when it is read.
    ///
    /// - Parameters:
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - expression: Computes the value from other signals; must not set any.
    public init(
        named name: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ expression: @escaping () -> Value
    ) {
        let node = SignalNode(SignalLabel(name, file, line))
        self.node = node
        self.expression = expression
        node.computes { [state] _ in
            // Reads nothing: so nothing tells it of further changes, until it is computed.
            state.isStale = true
            return true
        }
    }

    /// The value, computed if something that it depends on has changed; an expression that reads it depends on it from then
    /// on.
    ///
    /// - Returns: The present value; inside an observer, that of the observed cycle.
    public func callAsFunction() -> Value {
        // In the middle of a change it may not have been told yet. What reads it depends on it only once its place in the
        // order is known, by its computation.
        untracked { node.noteRead() }
        if !state.isStale, let value = state.value {
            node.noteRead()
            return value
        }
        node.beginFirstRun()
        let value = expression()
        node.endFirstRun()
        // One that depends on itself has no value to keep.
        if !node.isBroken {
            state.value = value
            state.isStale = false
        }
        node.noteRead()
        return value
    }

    /// The label of the signal in messages.
    public var name: String { node.label.description }
}
