public import WeirCore

/// How the elements that two streams have in a window are combined.
public protocol WindowRule: Sendable {
    /// The elements of the first stream.
    associatedtype Left: Sendable
    /// The elements of the second stream.
    associatedtype Right: Sendable
    /// The results.
    associatedtype Output: Sendable

    /// Emits the results for an element of the first stream.
    ///
    /// - Parameters:
    ///   - left: The element and its time.
    ///   - isFirst: Whether it is the first of its key in the window.
    ///   - rights: The elements of its key of the second stream.
    ///   - emit: Called with each result and its time.
    func close(
        _ left: (element: Left, time: Timestamp),
        isFirst: Bool,
        with rights: [(element: Right, time: Timestamp)],
        _ emit: (Output, Timestamp) -> Void
    )

    /// Returns the result for an element of the second stream without a partner.
    ///
    /// - Parameter right: The element.
    /// - Returns: The result, or `nil`.
    func close(alone right: Right) -> Output?
}

/// The rule of a join.
@frozen
public struct JoinRule<Left: Sendable, Right: Sendable>: WindowRule {
    @usableFromInline let kind: JoinKind

    @inlinable
    init(_ kind: JoinKind) {
        self.kind = kind
    }

    @inlinable
    public func close(
        _ left: (element: Left, time: Timestamp),
        isFirst: Bool,
        with rights: [(element: Right, time: Timestamp)],
        _ emit: ((Left?, Right?), Timestamp) -> Void
    ) {
        for right in rights { emit((left.element, right.element), max(left.time, right.time)) }
        if rights.isEmpty, kind != .inner { emit((left.element, nil), left.time) }
    }

    @inlinable
    public func close(alone right: Right) -> (Left?, Right?)? {
        kind == .outer ? (nil, right) : nil
    }
}

/// The rule of sets: one element of each key, if the other stream has it too, or if it has not.
@frozen
public struct SetRule<Left: Sendable, Right: Sendable>: WindowRule {
    @usableFromInline let wantsPartner: Bool

    @inlinable
    init(wantsPartner: Bool) {
        self.wantsPartner = wantsPartner
    }

    @inlinable
    public func close(
        _ left: (element: Left, time: Timestamp),
        isFirst: Bool,
        with rights: [(element: Right, time: Timestamp)],
        _ emit: (Left, Timestamp) -> Void
    ) {
        if isFirst, rights.isEmpty != wantsPartner { emit(left.element, left.time) }
    }

    @inlinable
    public func close(alone right: Right) -> Left? { nil }
}
