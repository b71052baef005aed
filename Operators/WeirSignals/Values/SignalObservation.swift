internal import WeirCore

/// The observation of a signal's changes; it ends when the last reference to it is released.
///
/// Keep it where the observer lives: when the last reference goes, the observation ends. It keeps the signal alive.
public final class SignalObservation {
    private let signal: AnyObject
    private let node: SignalNode
    private let action: () -> Void
    private var isCancelled = false
    var place = 0

    @usableFromInline
    init(_ signal: AnyObject, _ node: SignalNode, _ action: @escaping () -> Void) {
        self.signal = signal
        self.node = node
        self.action = action
        place = node.audience.add(self)
    }

    deinit {
        cancel()
    }

    /// Ends the observation; ending it again does nothing.
    ///
    /// Takes effect at once, also from inside an observer.
    public func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        node.audience.removeObservation(at: place)
    }

    /// Keeps the observation in an array, for owners of several.
    ///
    /// - Parameter observations: The observations that the owner retains.
    public func store(in observations: inout [SignalObservation]) {
        observations.append(self)
    }

    func tell() {
        if !isCancelled { action() }
    }
}

extension Signal {
    /// Calls `body` with the value after each cycle that has changed it.
    ///
    /// All signals are up to date when it is called. Its writes take effect in the next cycle, after all observers of
    /// this one; observers that set signals in 10,000 consecutive cycles trap.
    ///
    /// - Parameters:
    ///   - immediately: Whether to call it once now.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it ends when the last reference to it is released.
    @inlinable
    public func observe(immediately: Bool = false, _ body: @escaping (Value) -> Void) -> SignalObservation
    where Value: Equatable {
        var last = self()
        let cell = cell
        let observation = SignalObservation(self, node) {
            // Reads inside a transaction may have computed it several times, there and back.
            guard cell.value != last else { return }
            last = cell.value
            body(last)
        }
        if immediately { body(last) }
        return observation
    }

    /// Calls `body` with the value after each cycle that has computed or set it.
    ///
    /// - Parameters:
    ///   - immediately: Whether to call it once now.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it ends when the last reference to it is released.
    @inlinable
    public func observe(immediately: Bool = false, _ body: @escaping (Value) -> Void) -> SignalObservation {
        let cell = cell
        let observation = SignalObservation(self, node) { body(cell.value) }
        if immediately { body(self()) }
        return observation
    }

    /// Sets another signal to the value, now and after each change.
    ///
    /// - Parameter target: The signal to set; not kept alive.
    /// - Returns: The binding; it ends when the last reference to it is released.
    public func bind(to target: MutableSignal<Value>) -> SignalObservation {
        observe(immediately: true) { [weak target] value in target?.set(value) }
    }

    /// Sets a property of an object to the value, now and after each change.
    ///
    ///     speed.bind(to: dial, \.angle).store(in: &dial.bindings)
    ///
    /// - Parameters:
    ///   - object: The object; not kept alive.
    ///   - property: The property to set.
    /// - Returns: The binding; it ends when the last reference to it is released.
    public func bind<Object: AnyObject>(
        to object: Object,
        _ property: ReferenceWritableKeyPath<Object, Value>
    ) -> SignalObservation {
        observe(immediately: true) { [weak object] value in object?[keyPath: property] = value }
    }
}
