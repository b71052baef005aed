/// A value that changes over time, and what is computed from it.
///
///     let price = MutableSignal(20.0)
///     let amount = MutableSignal(3)
///     let total = Signal { price() * Double(amount()) }
///     total()          // 60
///     amount.value = 4
///     total()          // 80
///
/// A derived signal is written as a plain expression. What it depends on is found while the expression runs: every
/// signal that it reads by calling it, and only those that it read the last time, so that dependencies may change from
/// one computation to the next. The expression must not set signals, and ought to depend on nothing but what it reads.
///
/// ## When it changes
///
/// A write, or a ``transaction(_:)`` of several, is carried to all that depends on it before it returns. Each signal is
/// computed at most once, after all that it reads, and only if something that it reads has changed; a value that comes
/// out equal to the old one stops there. So no expression and no observer ever sees new values beside old ones.
///
/// ## Where it lives
///
/// Signals are not `Sendable`: they stay in the actor, the task or the stream that made them, and the compiler sees to
/// it. What comes from elsewhere comes through a bridge: `stream.signal(initial:)` into an actor, also one that runs on
/// an `EventProcessor`, and `stream.hostSignals(initial:_:)` into the context of a channel. Out of it leads ``changes``.
///
/// A signal keeps what it reads alive, and nothing keeps it alive but whoever holds it: its readers, its observations,
/// the program.
///
/// - Complexity: Reading is O(1). A change is O(*n* + *e*) for *n* signals computed and *e* dependencies between them,
///   without allocation in steady state, and without recursion however deep the graph.
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

    /// Creates a signal that is computed from others, with a measure of its own for what is a change.
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
    /// - Returns: The value after all that was set so far; inside an observer, of the cycle that it is told of.
    @inlinable
    public final func callAsFunction() -> Value {
        node.noteRead()
        return cell.value
    }

    /// What the signal is called in messages.
    public final var name: String { node.label.description }
}
