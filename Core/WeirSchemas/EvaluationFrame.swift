public import WeirExpressions

/// The inputs of an expression that was built at run time: the element, the one before, and captured values.
@safe
@frozen
public struct EvaluationFrame {
    // Safety: a frame exists only inside the call that evaluates an expression; that call borrows the elements and the
    // values, and holds the fault, for as long as it lasts. Fields read at offsets, and as types, that were checked
    // against the root's key paths when the schema was made.

    @usableFromInline let current: UnsafeRawPointer
    @usableFromInline let previous: UnsafeRawPointer
    @usableFromInline let captured: UnsafeBufferPointer<FieldValue>
    @usableFromInline let fault: UnsafeMutablePointer<Bool>

    @inlinable
    init(
        current: UnsafeRawPointer,
        previous: UnsafeRawPointer,
        captured: UnsafeBufferPointer<FieldValue>,
        fault: UnsafeMutablePointer<Bool>
    ) {
        unsafe self.current = current
        unsafe self.previous = previous
        unsafe self.captured = captured
        unsafe self.fault = fault
    }

    /// The frame in which the element before is the element.
    var ofPrevious: EvaluationFrame {
        unsafe EvaluationFrame(current: previous, previous: previous, captured: captured, fault: fault)
    }

    /// A captured value; missing where none was given.
    func captured(_ index: Int) -> FieldValue {
        unsafe index < captured.count ? captured[index] : .missing
    }

    /// A stored property of the element.
    @inlinable
    func load<Value>(_ offset: Int, as type: Value.Type) -> Value {
        unsafe current.load(fromByteOffset: offset, as: type)
    }

    /// Reports that there is no result: an integer overflowed, or was divided by zero.
    func fail() { unsafe fault.pointee = true }

    /// Whether there is no result.
    @inlinable
    var hasFailed: Bool { unsafe fault.pointee }

    /// Calls `body` with the frame of an element and the one before.
    @inlinable
    static func with<Root, Result>(
        _ current: Root,
        after previous: Root,
        _ body: (EvaluationFrame) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: current) { current in
            unsafe withUnsafePointer(to: previous) { previous in
                var fault = false
                return unsafe withUnsafeMutablePointer(to: &fault) { fault in
                    let captured = unsafe UnsafeBufferPointer<FieldValue>(start: nil, count: 0)
                    return body(
                        unsafe EvaluationFrame(current: current, previous: previous, captured: captured, fault: fault)
                    )
                }
            }
        }
    }

    /// Calls `body` with the frame of an element, without one before it, and of captured values.
    @inlinable
    static func with<Root, Result>(
        _ current: Root,
        capturing captured: UnsafeBufferPointer<FieldValue>,
        _ body: (EvaluationFrame) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: current) { current in
            var fault = false
            return unsafe withUnsafeMutablePointer(to: &fault) { fault in
                body(unsafe EvaluationFrame(current: current, previous: current, captured: captured, fault: fault))
            }
        }
    }

    /// Calls `body` with the frame of an element alone.
    @inlinable
    static func with<Root, Result>(_ current: Root, _ body: (EvaluationFrame) -> Result) -> Result {
        unsafe with(current, capturing: UnsafeBufferPointer(start: nil, count: 0), body)
    }
}
