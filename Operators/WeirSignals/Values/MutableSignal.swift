/// A signal that is set from outside.
///
///     let celsius = MutableSignal(20.0)
///     let fahrenheit = celsius.map { $0 * 1.8 + 32 }
///     celsius.value = 25
///     celsius.update { $0 += 1 }
///
/// A write is propagated to all dependents and observers before it returns; inside a ``transaction(_:)`` when that
/// ends. A write by an observer is propagated in the next cycle, after all observers of this one have been notified;
/// until then the signal keeps its value. An expression must not write: that traps, with the names of the signals.
public final class MutableSignal<Value>: Signal<Value> {
    /// Creates a signal; setting it to a value that equals the one it has is no change.
    ///
    /// - Parameters:
    ///   - value: Its first value.
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    @inlinable
    public convenience init(
        _ value: Value,
        named name: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Equatable {
        let node = SignalNode(SignalLabel(name, file, line))
        let cell = SignalCell(value)
        node.commits {
            defer { cell.before = nil }
            return cell.before != cell.value
        }
        self.init(node, cell)
    }

    /// Creates a signal that counts as changed whenever it is set.
    ///
    /// - Parameters:
    ///   - value: Its first value.
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    @inlinable
    public convenience init(
        _ value: Value,
        named name: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let node = SignalNode(SignalLabel(name, file, line))
        let cell = SignalCell(value)
        node.commits {
            cell.before = nil
            return true
        }
        self.init(node, cell)
    }

    /// The value.
    @inlinable
    public var value: Value {
        get { self() }
        set { set(newValue) }
    }

    /// Sets the value.
    ///
    /// - Parameter value: The new value.
    @inlinable
    public func set(_ value: Value) {
        guard node.beginWrite() else {
            let (node, cell) = (node, cell)
            node.writeLater { Self.write(value, node, cell) }
            return
        }
        Self.write(value, node, cell)
        node.endWrite()
    }

    /// Changes the value in place; an observer's change is applied to the value of the next cycle.
    ///
    /// - Parameter body: Changes the value; must not read signals that depend on it.
    @inlinable
    public func update(_ body: @escaping (inout Value) -> Void) {
        guard node.beginWrite() else {
            let (node, cell) = (node, cell)
            node.writeLater {
                var value = cell.value
                body(&value)
                Self.write(value, node, cell)
            }
            return
        }
        var value = cell.value
        body(&value)
        Self.write(value, node, cell)
        node.endWrite()
    }

    @inlinable
    static func write(_ value: Value, _ node: SignalNode, _ cell: SignalCell<Value>) {
        if node.touch() {
            let before = cell.value
            cell.before = before
            if node.isChecked { node.noteUndo { write(before, node, cell) } }
        }
        cell.value = value
    }
}
