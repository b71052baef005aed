internal import WeirExpressions

/// A field, and where its value must lie for a condition to hold.
protocol FieldRange<Root>: Sendable {
    associatedtype Root

    /// Equal for the same field.
    var identity: AnyIdentity { get }

    /// Whether there is a bound below and one above.
    var isClosed: Bool { get }

    /// What must hold for both; `nil` if they are of different fields.
    func joined(with other: any FieldRange<Root>) -> Self?

    /// Makes the table of all conditions of the field.
    func table(of members: [RangeMember<Root>]) -> RangeTable<Root>
}

/// A condition that can only hold where the value of a field lies in a range.
struct RangeMember<Element>: Sendable {
    /// The place of the condition in its index.
    let condition: Int

    let range: any FieldRange<Element>

    /// Whether the condition says nothing else.
    let isWhole: Bool
}

/// A constant, and on which side of it a value must lie.
struct Bound<Value: Comparable> {
    enum Side {
        case below
        case atMost
        case atLeast
        case above
    }

    let side: Side
    let value: Value

    init(_ side: Side, _ value: Value) {
        self.side = side
        self.value = value
    }
}

extension Bound: Sendable where Value: Sendable {}

/// The bounds of one field.
struct ComparedField<Root, Value: Comparable & Sendable>: FieldRange {
    let field: Field<Root, Value>
    var bounds: [Bound<Value>]

    init(_ field: Field<Root, Value>, _ bounds: [Bound<Value>]) {
        self.field = field
        self.bounds = bounds
    }

    var identity: AnyIdentity { AnyIdentity(field) }

    var isClosed: Bool {
        bounds.contains { $0.side == .below || $0.side == .atMost }
            && bounds.contains { $0.side == .above || $0.side == .atLeast }
    }

    func joined(with other: any FieldRange<Root>) -> Self? {
        guard let other = other as? Self, other.field == field else { return nil }
        return Self(field, bounds + other.bounds)
    }

    func table(of members: [RangeMember<Root>]) -> RangeTable<Root> {
        let ranges = members.map { member in
            guard let range = member.range as? Self else { preconditionFailure("a column has one field") }
            return range.bounds
        }
        let thresholds = Thresholds(ranges.joined().map(\.value))
        var places: [(Range<Int>, RangeTable<Root>.Entry)] = []
        var unplaced: [Int] = []
        for (member, bounds) in zip(members, ranges) {
            guard bounds.allSatisfy({ Thresholds.isOrdered($0.value) }) else {
                if !Thresholds<Value>.refusesUnordered { unplaced.append(member.condition) }
                continue
            }
            let entry = RangeTable<Root>.Entry(condition: member.condition, isDecided: member.isWhole)
            places.append((thresholds.places(for: bounds), entry))
        }
        return RangeTable(
            placeCount: thresholds.placeCount,
            places,
            unplaced: unplaced,
            unordered: Thresholds<Value>.refusesUnordered ? [] : places.map(\.1.condition),
            placeOfField: placeOfField(thresholds)
        )
    }

    /// Makes the function that looks a value up.
    ///
    /// Compiled apart for the usual numbers: for each comparison of a search, the general one would ask the type how.
    private func placeOfField(_ thresholds: Thresholds<Value>) -> @Sendable (borrowing Root) -> Int? {
        let field = field
        return placeOfField(thresholds, as: Double.self)
            ?? placeOfField(thresholds, as: Int.self)
            ?? placeOfField(thresholds, as: Float.self)
            ?? placeOfField(thresholds, as: Int64.self)
            ?? placeOfField(thresholds, as: Int32.self)
            ?? placeOfField(thresholds, as: UInt64.self)
            ?? placeOfField(thresholds, as: UInt32.self)
            ?? placeOfField(thresholds, as: UInt8.self)
            ?? { element in thresholds.place(of: field.value(of: element)) }
    }

    @inline(__always)
    private func placeOfField<Number: Comparable & Sendable>(
        _ thresholds: Thresholds<Value>,
        as number: Number.Type
    ) -> (@Sendable (borrowing Root) -> Int?)? {
        guard let field = field as? Field<Root, Number>, let thresholds = thresholds as? Thresholds<Number> else {
            return nil
        }
        return { element in thresholds.place(of: field.value(of: element)) }
    }
}
