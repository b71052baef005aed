public import WeirCore

/// Where a signal's value is kept.
@usableFromInline
final class SignalCell<Value> {
    @frozen
    @usableFromInline
    struct Contents {
        @usableFromInline var value: Value
        /// The value before the first write of a cycle that has not been committed.
        @usableFromInline var before: Value?

        @inlinable
        init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline let contents: UncheckedCell<Contents>

    @inlinable
    init(_ value: Value) {
        contents = UncheckedCell(Contents(value))
    }

    @inlinable var value: Value {
        get { contents.value.value }
        set { contents.value.value = newValue }
    }

    @inlinable var before: Value? {
        get { contents.value.before }
        set { contents.value.before = newValue }
    }
}
