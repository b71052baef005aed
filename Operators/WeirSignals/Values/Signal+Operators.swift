extension Signal {
    /// A signal whose value is made from this one's.
    ///
    /// - Parameters:
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - transform: Makes the value; runs at once and after each change.
    /// - Returns: The signal.
    @inlinable
    public func map<Output: Equatable>(
        file: StaticString = #fileID,
        line: UInt = #line,
        _ transform: @escaping (Value) -> Output
    ) -> Signal<Output> {
        Signal<Output>(file: file, line: line) { transform(self()) }
    }

    /// A signal whose value is made from this one's, and counts as changed whenever this one has.
    ///
    /// - Parameters:
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - transform: Makes the value; runs at once and after each change.
    /// - Returns: The signal.
    @inlinable
    public func map<Output>(
        file: StaticString = #fileID,
        line: UInt = #line,
        _ transform: @escaping (Value) -> Output
    ) -> Signal<Output> {
        Signal<Output>(file: file, line: line) { transform(self()) }
    }

    /// The value of the signal that this one's value names: the inner signal may change.
    ///
    /// - Parameters:
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    ///   - select: Gives the inner signal.
    /// - Returns: The signal.
    @inlinable
    public func flatMap<Output: Equatable>(
        file: StaticString = #fileID,
        line: UInt = #line,
        _ select: @escaping (Value) -> Signal<Output>
    ) -> Signal<Output> {
        Signal<Output>(file: file, line: line) { select(self())() }
    }
}

/// The values of several signals as one signal.
///
///     let state = combine(position, speed, isOpen)
///     state().1
///
/// Changes once for each cycle in which one of them has changed.
///
/// - Parameters:
///   - signals: The signals.
///   - file: The file that makes the signal.
///   - line: The line that makes the signal.
/// - Returns: A signal of their values.
@inlinable
public func combine<each Value: Equatable>(
    _ signals: repeat Signal<each Value>,
    file: StaticString = #fileID,
    line: UInt = #line
) -> Signal<(repeat each Value)> {
    Signal(
        isUnchanged: { (old: (repeat each Value), new: (repeat each Value)) in
            for (old, new) in repeat (each old, each new) {
                guard old == new else { return false }
            }
            return true
        },
        file: file,
        line: line
    ) { (repeat (each signals)()) }
}

/// A value that is made from those of several signals.
///
///     let isDangerous = combine(pressure, limit) { $0 > $1 }
///
/// - Parameters:
///   - signals: The signals.
///   - file: The file that makes the signal.
///   - line: The line that makes the signal.
///   - transform: Makes the value; runs at once, and once for each cycle in which one of them has changed.
/// - Returns: The signal.
@inlinable
public func combine<each Value, Output: Equatable>(
    _ signals: repeat Signal<each Value>,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping (repeat each Value) -> Output
) -> Signal<Output> {
    Signal(file: file, line: line) { transform(repeat (each signals)()) }
}
