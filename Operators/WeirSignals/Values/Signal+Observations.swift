extension Signal {
    /// Calls `body` with the value after each cycle that has changed it.
    ///
    /// All signals are up to date when it is called. Its writes take effect in the next cycle, after all observers of
    /// this one; observers that set signals in 10,000 consecutive cycles trap.
    ///
    /// - Parameters:
    ///   - immediately: Whether to call it once now.
    ///   - owner: Ends the observation when it has gone; not kept alive.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it lasts until it is cancelled, also without the handle.
    @inlinable
    @discardableResult
    public func observe(
        immediately: Bool = false,
        owner: AnyObject? = nil,
        _ body: @escaping (Value) -> Void
    ) -> SignalObservation where Value: Equatable {
        var last = self()
        let cell = cell
        let observation = SignalObservation(self, node, owner, renewing: { last = cell.value }) {
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
    ///   - owner: Ends the observation when it has gone; not kept alive.
    ///   - body: Called where the write was made, in the order in which signals changed and observers came.
    /// - Returns: The observation; it lasts until it is cancelled, also without the handle.
    @inlinable
    @discardableResult
    public func observe(
        immediately: Bool = false,
        owner: AnyObject? = nil,
        _ body: @escaping (Value) -> Void
    ) -> SignalObservation {
        let cell = cell
        let observation = SignalObservation(self, node, owner, renewing: {}) { body(cell.value) }
        if immediately { body(self()) }
        return observation
    }

    /// Sets another signal to the value, now and after each change.
    ///
    /// - Parameter target: The signal to set; not kept alive. The first change after it has gone ends the binding.
    /// - Returns: The binding; it lasts until it is cancelled, also without the handle.
    @discardableResult
    public func bind(to target: MutableSignal<Value>) -> SignalObservation {
        mirror(owner: target) { [weak target] value in target?.set(value) }
    }

    /// Sets a property of an object to the value, now and after each change.
    ///
    ///     speed.bind(to: dial, \.angle).store(in: dial.bag)
    ///
    /// - Parameters:
    ///   - object: The object; not kept alive. The first change after it has gone ends the binding.
    ///   - property: The property to set.
    /// - Returns: The binding; it lasts until it is cancelled, also without the handle.
    @discardableResult
    public func bind<Object: AnyObject>(
        to object: Object,
        _ property: ReferenceWritableKeyPath<Object, Value>
    ) -> SignalObservation {
        mirror(owner: object) { [weak object] value in object?[keyPath: property] = value }
    }

    /// Calls `body` with the value, now and whenever it is another one, also when a checkpoint has given it back.
    func mirror(owner: AnyObject? = nil, _ body: @escaping (Value) -> Void) -> SignalObservation {
        let cell = cell
        let observation = SignalObservation(self, node, owner, renewing: { body(cell.value) }) { body(cell.value) }
        body(self())
        return observation
    }
}
