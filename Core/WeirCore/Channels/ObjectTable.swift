/// A list of objects that is never changed, only replaced, and can be walked without touching a reference count.
@safe
@usableFromInline
final class ObjectTable<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: every property is a constant, and the memory is written only by `init`.

    @usableFromInline let count: Int
    @usableFromInline let objects: UnsafeMutablePointer<Unmanaged<Object>>

    init(_ list: [Object]) {
        count = list.count
        unsafe objects = .allocate(capacity: max(1, list.count))
        for (index, object) in list.enumerated() {
            unsafe (objects + index).initialize(to: .passRetained(object))
        }
    }

    deinit {
        for index in 0..<count {
            unsafe objects[index].release()
        }
        unsafe objects.deallocate()
    }

    /// Calls `body` with each object, without retaining it: the table does.
    @inlinable
    func forEach(_ body: (Object) -> Void) {
        for index in 0..<count {
            unsafe objects[index]._withUnsafeGuaranteedRef(body)
        }
    }
}
