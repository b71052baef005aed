/// Keeps a value for several holders of which one thread at a time works on it, such as a sink and what drives it.
///
/// Working on a stored property of a class costs a check of the runtime for every access, and a value that cannot be
/// copied cannot be in a sink, which can be. All holders of the cell work on the one value. ``withValue(_:)`` traps when it
/// is called from inside itself.
///
/// - Complexity: O(1) per call, without allocation, lock or exclusivity check of the runtime.
@safe
public final class SharedCell<Value: ~Copyable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the holders are a sink, or what drives or owns sinks; those run on one thread at a
    // time (a channel's inside its gate, a consumer of records on the thread that feeds it, a stage of a graph in its
    // island), which hands over with a release and an acquire. Safety of the pointers: the memory lives as long as the
    // cell. `isBusy` rules out a second access inside `withValue`; the other accesses are single calls of their owners.

    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    // In the same memory, behind the value.
    @usableFromInline let isBusy: UnsafeMutablePointer<Bool>

    /// Creates a cell for the state of a sink.
    ///
    /// Traps in the pipeline of groups, which would share the cell with the copies of the sink.
    ///
    /// - Parameter value: What the cell keeps.
    @inlinable
    public convenience init(_ value: consuming Value) where Value: Sendable {
        SinkTemplate.requireNotCopied()
        self.init(driven: value)
    }

    /// Creates a cell for what drives sinks, or belongs to no sink.
    @inlinable
    package init(driven value: consuming Value) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Value>.size + 1,
            alignment: MemoryLayout<Value>.alignment
        )
        unsafe pointer = memory.bindMemory(to: Value.self, capacity: 1)
        unsafe isBusy = (memory + MemoryLayout<Value>.size).bindMemory(to: Bool.self, capacity: 1)
        unsafe pointer.initialize(to: value)
        unsafe isBusy.initialize(to: false)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(pointer).deallocate()
    }

    /// Calls `body` with the value.
    ///
    /// - Parameter body: Must not use the cell again.
    /// - Returns: What `body` returns.
    @inlinable
    public func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe precondition(!isBusy.pointee, "the value of a cell was used while it was being worked on")
        unsafe isBusy.pointee = true
        defer { unsafe isBusy.pointee = false }
        return unsafe body(&pointer.pointee)
    }

    /// Calls `body` with the value and an argument, which may be one that is only borrowed.
    ///
    /// - Parameters:
    ///   - argument: Handed on to `body`.
    ///   - body: Must not use the cell again.
    /// - Returns: What `body` returns.
    @inlinable
    public func withValue<Argument, Result>(
        _ argument: borrowing Argument,
        _ body: (inout Value, borrowing Argument) -> Result
    ) -> Result {
        unsafe precondition(!isBusy.pointee, "the value of a cell was used while it was being worked on")
        unsafe isBusy.pointee = true
        defer { unsafe isBusy.pointee = false }
        return unsafe body(&pointer.pointee, argument)
    }

    /// The value; not to be changed while another access to it goes on.
    @inlinable
    package var value: Value {
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(pointer) }
        @inline(__always)
        unsafeMutableAddress { unsafe pointer }
    }

    /// Moves the value into a local for the whole of a batch, calls `body`, and moves it back; not reentrant.
    @inlinable
    package func withLocal(_ body: (inout Value) -> Void) {
        var local = unsafe pointer.move()
        body(&local)
        unsafe pointer.initialize(to: local)
    }
}
