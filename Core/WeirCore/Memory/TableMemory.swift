public import CWeir

/// Memory for tables that are looked up at random places.
///
/// It starts with a cache line. Where there is much of it, the system is asked for large pages: a look-up in a table of
/// many megabytes otherwise waits longer for the address of the page than for the line.
@safe
@usableFromInline
package enum TableMemory {
    /// Allocates memory; traps if there is none.
    ///
    /// - Returns: Memory that is not initialised, to be given to ``free(_:)``.
    @inlinable
    package static func allocate<Value>(_ capacity: Int) -> UnsafeMutablePointer<Value> {
        let stride = MemoryLayout<Value>.stride
        guard let memory = unsafe cweir_allocate_lines(capacity, stride) else {
            preconditionFailure("there is no memory for a table of \(capacity) places")
        }
        unsafe cweir_prefer_large_pages(memory, capacity * stride)
        return unsafe memory.bindMemory(to: Value.self, capacity: capacity)
    }

    /// Gives memory back.
    @inlinable
    package static func free<Value>(_ values: UnsafeMutablePointer<Value>) {
        unsafe cweir_free_lines(values)
    }
}

extension ContiguousArray {
    /// Creates an array that is a table: as `init(repeating:count:)`, in large pages where it is large.
    @inlinable
    package init(tableOf value: Element, count: Int) {
        unsafe self.init(unsafeUninitializedCapacity: count) { places, initializedCount in
            unsafe cweir_prefer_large_pages(places.baseAddress, count * MemoryLayout<Element>.stride)
            unsafe places.initialize(repeating: value)
            initializedCount = count
        }
    }

    /// Prefetches a place.
    @inlinable
    package func prefetch(_ index: Int) {
        assert(indices.contains(index))
        unsafe withUnsafeBufferPointer { places in
            guard let first = places.baseAddress else { return }
            unsafe cweir_prefetch(first + index)
        }
    }
}

extension Array {
    /// Creates an array without elements that has room for some, in large pages where that is much.
    ///
    /// The system gives memory page by page when it is written to first, which takes longer than writing.
    package init(roomFor count: Int) {
        self.init()
        guard count > 0 else { return }
        reserveCapacity(count)
        let size = capacity * MemoryLayout<Element>.stride
        unsafe withUnsafeMutableBufferPointer { places in
            unsafe cweir_prefer_large_pages(places.baseAddress, size)
        }
    }
}
