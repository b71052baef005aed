/// A value that changes over time, or is computed from such values.
///
///     let price = MutableSignal(20.0)
///     let amount = MutableSignal(3)
///     let total = Signal { price() * Double(amount()) }
///     total()          // 60
///     amount.value = 4
///     total()          // 80
///
/// A derived signal is written as a plain expression. Its dependencies are found while the expression runs: every
/// signal that it reads by calling it, and only those that it read the last time, so that dependencies may change from
/// one computation to the next. The expression must not set signals, and should depend only on the signals that it
/// reads.
///
/// ## When it changes
///
/// A write, or a ``transaction(_:)`` of several, is propagated to all dependents before it returns. Each signal is
/// computed at most once, after all that it reads, and only if something that it reads has changed; a value that comes
/// out equal to the old one stops there. So no expression and no observer ever sees new values beside old ones. Signals
/// that are equally far from what was set are computed in the order in which they were made.
///
/// ## Where it lives
///
/// Signals are not `Sendable`: they stay in the actor, the task or the stream that created them, which the compiler
/// checks. Values from elsewhere come through a bridge: `stream.signal(initial:)` into an actor, also one that runs on
/// an `EventProcessor`, and `stream.hostSignals(initial:_:)` into the context of a channel. ``changes`` leads out of
/// it.
///
/// A signal retains its dependencies, and is retained by its readers, and by observations until they are cancelled.
///
/// - Complexity: Reading is O(1). A change is O(*n* + *e*) for *n* signals computed and *e* dependencies between them,
///   without allocation in steady state, and without recursion however deep the graph. Where several signals are set in
///   another order than their dependents were made in, or dependencies have changed, the dependents are sorted.
public class Signal<Value> {
    @usableFromInline final let node: SignalNode
    @usableFromInline final let cell: SignalCell<Value>

    @usableFromInline
    init(_ node: SignalNode, _ cell: SignalCell<Value>) {
        self.node = node
        self.cell = cell
    }

    /// Creates a signal that is computed from others; a value that equals the one before is no change.
    ///
    /// - Parameters:
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - expression: Computes the value from other signals; runs at once, and whenever one that it read has changed.
    @inlinable
    public convenience init(
        named name: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ expression: @escaping () -> Value
    ) where Value: Equatable {
        let node = SignalNode(SignalLabel(name, file, line))
        node.beginFirstRun()
        let cell = SignalCell(expression())
        node.endFirstRun()
        node.computes { node in
            let value = expression()
            guard !node.isBroken, value != cell.value else { return false }
            cell.value = value
            return true
        }
        self.init(node, cell)
    }

    /// Creates a signal that is computed from others, and counts as changed whenever it is.
    ///
    /// - Parameters:
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - expression: Computes the value from other signals; runs at once, and whenever one that it read has changed.
    @inlinable
    public convenience init(
        named name: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ expression: @escaping () -> Value
    ) {
        let node = SignalNode(SignalLabel(name, file, line))
        node.beginFirstRun()
        let cell = SignalCell(expression())
        node.endFirstRun()
        node.computes { node in
            let value = expression()
            guard !node.isBroken else { return false }
            cell.value = value
            return true
        }
        self.init(node, cell)
    }

    /// Creates a signal that is computed from others, with a custom test for a change.
    ///
    /// - Parameters:
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - isUnchanged: Whether the second value counts as the same as the first.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - expression: Computes the value from other signals; runs at once, and whenever one that it read has changed.
    @inlinable
    public convenience init(
        named name: String? = nil,
        isUnchanged: @escaping (Value, Value) -> Bool,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ expression: @escaping () -> Value
    ) {
        let node = SignalNode(SignalLabel(name, file, line))
        node.beginFirstRun()
        let cell = SignalCell(expression())
        node.endFirstRun()
        node.computes { node in
            let value = expression()
            guard !node.isBroken, !isUnchanged(cell.value, value) else { return false }
            cell.value = value
            return true
        }
        self.init(node, cell)
    }

    /// The value; an expression that reads it depends on it from then on.
    ///
    /// - Returns: The present value; inside an observer, that of the observed cycle.
    @inlinable
    public final func callAsFunction() -> Value {
        node.noteRead()
        return cell.value
    }

    /// The label of the signal in messages.
    public final var name: String { node.label.description }
}
