/// An element of one of several streams: all places but that of its stream are `nil`.
///
/// Also a combination that lacks some elements.
@frozen
public struct OneOf<each Element: Sendable>: Sendable {
    /// The elements, by stream.
    public var values: (repeat (each Element)?)

    @inlinable
    package init(values: (repeat (each Element)?)) {
        self.values = values
    }

    /// Has no element.
    @inlinable
    package init() {
        func nothing<Value>(_ type: Value.Type) -> Value? { nil }
        values = (repeat nothing((each Element).self))
    }

    /// Puts an element in the place of its stream.
    @inlinable
    package init<Single: Sendable>(_ element: Single, at position: Int) {
        var current = 0
        func place<Other>(_ type: Other.Type) -> Other? {
            defer { current += 1 }
            return current == position ? element as? Other : nil
        }
        values = (repeat place((each Element).self))
    }

    /// The elements of both; those of `self` where both have one.
    @inlinable
    package func merged(with other: Self) -> Self {
        Self(values: (repeat (each values) ?? (each other.values)))
    }

    /// All elements, if none is missing.
    @inlinable
    package var complete: (repeat each Element)? {
        do {
            return (repeat try present(each values))
        } catch {
            return nil
        }
    }
}

@usableFromInline
struct MissingElement: Error {
    @usableFromInline
    init() {}
}

@inlinable
func present<Value>(_ value: Value?) throws(MissingElement) -> Value {
    guard let value else { throw MissingElement() }
    return value
}
