public import WeirExpressions

/// A key path of any kind that can be handed from thread to thread.
@usableFromInline
struct PropertyPath: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: made of key paths that are `Sendable`; putting two of them together adds nothing
    // to what they have captured.

    let keyPath: AnyKeyPath

    @usableFromInline
    init<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>) {
        self.keyPath = keyPath
    }

    private init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// The path from something that holds this one's root.
    func appended<Root, Value>(to keyPath: SendableKeyPath<Root, Value>) -> PropertyPath? {
        (keyPath as AnyKeyPath).appending(path: self.keyPath).map { PropertyPath($0) }
    }
}
