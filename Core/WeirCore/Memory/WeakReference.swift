/// An object that is not kept alive, as a value.
@frozen
@usableFromInline
package struct WeakReference: Sendable {
    @usableFromInline package weak var object: (any AnyObject & Sendable)?

    @inlinable
    package init(_ object: (any AnyObject & Sendable)?) {
        self.object = object
    }
}
