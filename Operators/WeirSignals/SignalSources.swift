public import WeirCore

/// The sources of a graph of signals: what a checkpoint has to keep of it, as all that is derived is computed again.
///
///     struct Control: SignalSources {
///         let limit = MutableSignal(9.0, named: "limit")
///         let alarms = MutableSignal(0, named: "alarms")
///
///         func exchangeState(_ state: inout StateExchange) throws(StateError) {
///             try limit.exchangeState(&state)
///             try alarms.exchangeState(&state)
///         }
///     }
///
///     let control = Control()
///     let checkpoint = try Checkpoint(of: control)
///     try checkpoint.restore(to: control)
///
/// A ``MutableSignal`` is such a source itself, and so is what `hostSignals` keeps when it conforms.
public protocol SignalSources {
    /// Saves the values of the sources, or gives them back, each in a section of its name.
    ///
    /// - Parameter state: Takes the values, and says what goes on.
    /// - Throws: `StateError`.
    func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension MutableSignal: SignalSources {
    /// Saves the value, or gives it back.
    ///
    /// The signals that depend on it are computed again; observers are not notified, and ``Signal/changes`` sends nothing:
    /// to them nothing has changed. What a signal is bound to, and an ``ObservableSignal``, get the value. The section has the signal's name, or is known by the place where the signal was made.
    ///
    /// - Parameter state: Takes the value, and says what goes on.
    /// - Throws: `StateError`, also inside an expression, an observer or a transaction.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try exchangeState(&state, named: "signal \(name)")
    }

    func exchangeState(_ state: inout StateExchange, named name: String) throws(StateError) {
        try SignalCycle.restoring { () throws(StateError) in
            var value = cell.value
            try state.scoped(name) { state throws(StateError) in
                try state.begin("value")
                try state.exchange(&value)
            }
            if state.isRestoring { Self.write(value, node, cell) }
        }
    }
}

extension Checkpoint {
    /// Makes a checkpoint of signals.
    ///
    /// - Parameter sources: The signals, in the actor, task or stream that has them.
    /// - Throws: `StateError`.
    public init(of sources: some SignalSources) throws(StateError) {
        try self.init { state throws(StateError) in try sources.exchangeState(&state) }
    }

    /// Gives signals the values that were saved; what depends on them is computed again, and observers are not notified.
    ///
    /// - Parameters:
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing is restored.
    ///   - sources: The signals, made anew.
    /// - Returns: What fitted, and what did not.
    /// - Throws: `StateError`.
    @discardableResult
    public func restore(
        droppingMismatches drops: Bool = false,
        to sources: some SignalSources
    ) throws(StateError) -> RestoreReport {
        try restore(droppingMismatches: drops) { state throws(StateError) in
            try SignalCycle.restoring { () throws(StateError) in try sources.exchangeState(&state) }
        }
    }
}

extension StateExchange {
    /// Exchanges the latest element of a stream that hosts signals, and what else its graph is made of.
    mutating func exchange<Value>(
        _ latest: MutableSignal<Value>,
        _ others: (any SignalSources)?
    ) throws(StateError) {
        try SignalCycle.restoring { () throws(StateError) in
            try scoped("signals") { state throws(StateError) in
                try latest.exchangeState(&state, named: "latest")
                try others?.exchangeState(&state)
            }
        }
    }
}
