/// The criteria of ``Check``.
public enum Criteria {
    /// The criterion `between`.
    @frozen
    public struct Between<Bound: Comparable & Hashable & Sendable>: Criterion {
        /// The range, its ends included.
        public let range: ClosedRange<Bound>

        @inlinable
        init(_ range: ClosedRange<Bound>) {
            self.range = range
        }

        @inlinable
        public func isMet(by value: Bound) -> Bool { range.contains(value) }

        public func description(of operand: String) -> String { "between(\(operand), \(range))" }

        public func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree {
            let (lower, upper) = (
                try FieldValue(constant: range.lowerBound), try FieldValue(constant: range.upperBound)
            )
            return .operation(.between, [operand, .literal(lower), .literal(upper)])
        }
    }

    /// The criterion `isIn`.
    @frozen
    public struct Membership<Member: Hashable & Sendable>: Criterion {
        @usableFromInline let members: Set<Member>

        @inlinable
        init(_ members: Set<Member>) {
            self.members = members
        }

        @inlinable
        public func isMet(by value: Member) -> Bool { members.contains(value) }

        public func description(of operand: String) -> String {
            let members = members.map { Literal<Void, Member>($0).description }.sorted().joined(separator: ", ")
            return "isIn(\(operand), [\(members)])"
        }

        public func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree {
            let values = try members.map { member throws(SchemaError) in try FieldValue(constant: member) }
            // In one order, so that equal sets make equal trees.
            let sorted = values.sorted { "\($0)" < "\($1)" }
            return .operation(.isIn, [operand] + sorted.map(ExpressionTree.literal))
        }
    }

    /// The criterion `hasPrefix`.
    @frozen
    public struct Prefix: Criterion {
        @usableFromInline let prefix: String

        @inlinable
        init(_ prefix: String) {
            self.prefix = prefix
        }

        @inlinable
        public func isMet(by value: String) -> Bool { value.hasPrefix(prefix) }

        public func description(of operand: String) -> String { "hasPrefix(\(operand), \(prefix.debugDescription))" }

        public func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree {
            .operation(.hasPrefix, [operand, .literal(.text(prefix))])
        }
    }

    /// The criterion `contains`.
    @frozen
    public struct Containment: Criterion {
        @usableFromInline let part: String

        @inlinable
        init(_ part: String) {
            self.part = part
        }

        @inlinable
        public func isMet(by value: String) -> Bool { part.isEmpty || value.contains(part) }

        public func description(of operand: String) -> String { "contains(\(operand), \(part.debugDescription))" }

        public func tree(of operand: ExpressionTree) throws(SchemaError) -> ExpressionTree {
            .operation(.contains, [operand, .literal(.text(part))])
        }
    }
}
