public import Observation

extension Signal {
    /// The property of an observable object, as a signal of the actor that the object lives on.
    ///
    ///     @MainActor func show(_ model: Model) {
    ///         let title = Signal(observing: model, \.count).map { "\($0) items" }
    ///     }
    ///
    /// Observation notifies before a property changes, not after. So the signal is set soon after, when the actor is
    /// free, to the property's value at that time; several changes before are one. Do not use it for an object that
    /// other threads change: it may be read before the change.
    ///
    /// Keeps the object alive; the observation ends when the signal goes away. Any other expression over observable
    /// objects becomes a signal with `Observations { … }.signal(initial:)`.
    ///
    /// - Parameters:
    ///   - object: The object; isolated to the calling actor, which the compiler checks.
    ///   - property: The property.
    ///   - name: What to call the signal in messages; without one, the place where it was made.
    ///   - isolation: The actor; the one that calls. Code that is on no actor does not compile.
    ///   - file: The file that makes the signal.
    ///   - line: The line that makes the signal.
    public convenience init<Object: AnyObject & Observable>(
        observing object: Object,
        _ property: KeyPath<Object, Value>,
        named name: String? = nil,
        isolation: isolated any Actor = #isolation,
        file: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Equatable {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        func read() -> Value {
            withObservationTracking({ object[keyPath: property] }, onChange: { continuation.yield() })
        }
        let source = MutableSignal(read(), named: name, file: file, line: line)
        let task = Task { [weak source] in
            _ = isolation
            var iterator = changes.makeAsyncIterator()
            while await iterator.next(isolation: isolation) != nil {
                guard let source else { return }
                source.set(read())
            }
        }
        source.node.audience.atEnd { task.cancel() }
        self.init(named: name, file: file, line: line) { source() }
    }
}
