/// A number that ``Sum`` can add up: the standard library's integers and floating-point numbers are.
public protocol Summable: Sendable {
    /// The type of the running total.
    associatedtype Total: RunningTotal where Total.Value == Self
}

/// A total that numbers are added to and taken from.
public protocol RunningTotal: Sendable {
    /// The numbers.
    associatedtype Value: Sendable

    /// Creates the total of no numbers.
    init()

    /// The total.
    var value: Value { get }

    /// Adds a number.
    mutating func add(_ number: Value)

    /// Takes out a number that was added.
    mutating func remove(_ number: Value)

    /// Adds all numbers of another total.
    mutating func merge(_ other: Self)
}

/// A total of integers.
///
/// Intermediate totals may exceed the range of the integers; reading a total beyond it traps.
@frozen
public struct CheckedTotal<Value: FixedWidthInteger & Sendable>: RunningTotal {
    @inlinable
    public var value: Value {
        precondition(laps == 0, "a sum of integers overflowed; sum up a wider type, or Double")
        return total
    }

    @usableFromInline var total: Value = 0
    // How often it has gone round the range: up, less down.
    @usableFromInline var laps = 0

    @inlinable
    public init() {}

    @inlinable
    public mutating func add(_ number: Value) {
        let (sum, overflow) = total.addingReportingOverflow(number)
        total = sum
        if overflow { laps += number > 0 ? 1 : -1 }
    }

    @inlinable
    public mutating func remove(_ number: Value) {
        let (sum, overflow) = total.subtractingReportingOverflow(number)
        total = sum
        if overflow { laps += number > 0 ? -1 : 1 }
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        add(other.total)
        laps += other.laps
    }
}

/// A total of floating-point numbers by compensated summation (Neumaier): the rounding errors are summed up too.
///
/// The error of *n* additions does not grow with *n* but for terms of second order. NaN and infinities are counted
/// separately: they determine the total until they are removed. Removing the numbers that made the total overflow
/// restores it, too.
@frozen
public struct CompensatedTotal<Value: BinaryFloatingPoint & Sendable>: RunningTotal {
    // Always finite: the total is this, the compensation, and this many times the greatest power of two.
    @usableFromInline var sum: Value = 0
    @usableFromInline var compensation: Value = 0
    @usableFromInline var excess = 0
    @usableFromInline var positiveInfinities = 0
    @usableFromInline var negativeInfinities = 0
    @usableFromInline var notNumbers = 0

    @inlinable
    public init() {}

    @inlinable
    public var value: Value {
        // One test of all of them, because they are nearly always 0.
        excess | positiveInfinities | negativeInfinities | notNumbers == 0 ? sum + compensation : unusualValue
    }

    @inlinable
    @inline(__always)
    public mutating func add(_ number: Value) {
        let total = sum + number
        guard total.isFinite else { return addUnusual(number) }
        // The rounding error, which is itself exact (Knuth's TwoSum): no branch on which of both is greater.
        let added = total - sum
        compensation += (sum - (total - added)) + (number - added)
        sum = total
    }

    @inlinable
    public mutating func remove(_ number: Value) {
        guard number.isFinite else { return countUnusual(number, -1) }
        add(-number)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        add(other.sum)
        compensation += other.compensation
        excess += other.excess
        positiveInfinities += other.positiveInfinities
        negativeInfinities += other.negativeInfinities
        notNumbers += other.notNumbers
    }

    @inlinable
    static var greatestPower: Value { Value.greatestFiniteMagnitude.binade }

    /// The value when there are numbers that are not finite, or the sum is not.
    @inlinable
    @inline(never)
    var unusualValue: Value {
        if notNumbers > 0 || (positiveInfinities > 0 && negativeInfinities > 0) { return .nan }
        if positiveInfinities > 0 { return .infinity }
        if negativeInfinities > 0 { return -.infinity }
        // In halves, for their sum may be finite where a part of it is not.
        return (sum / 2 + Value(excess) * (Self.greatestPower / 2) + compensation / 2) * 2
    }

    /// Adds a number that is not finite, or with which the sum would not be.
    @usableFromInline
    mutating func addUnusual(_ number: Value) {
        guard number.isFinite else { return countUnusual(number, 1) }
        // Both have one sign, and the larger is not less than the greatest power of two.
        let power = number < 0 ? -Self.greatestPower : Self.greatestPower
        excess += number < 0 ? -1 : 1
        if sum.magnitude >= number.magnitude {
            sum -= power
            add(number)
        } else {
            add(number - power)
        }
        // Back from there: what is added to a great sum for nothing would be lost but for the compensation.
        if excess > 0, sum <= -Self.greatestPower {
            sum += Self.greatestPower
            excess -= 1
        } else if excess < 0, sum >= Self.greatestPower {
            sum -= Self.greatestPower
            excess += 1
        }
    }

    @usableFromInline
    mutating func countUnusual(_ number: Value, _ change: Int) {
        if number.isNaN {
            notNumbers += change
        } else if number > 0 {
            positiveInfinities += change
        } else {
            negativeInfinities += change
        }
    }
}

extension Int: Summable { public typealias Total = CheckedTotal<Int> }
extension Int8: Summable { public typealias Total = CheckedTotal<Int8> }
extension Int16: Summable { public typealias Total = CheckedTotal<Int16> }
extension Int32: Summable { public typealias Total = CheckedTotal<Int32> }
extension Int64: Summable { public typealias Total = CheckedTotal<Int64> }
extension UInt: Summable { public typealias Total = CheckedTotal<UInt> }
extension UInt8: Summable { public typealias Total = CheckedTotal<UInt8> }
extension UInt16: Summable { public typealias Total = CheckedTotal<UInt16> }
extension UInt32: Summable { public typealias Total = CheckedTotal<UInt32> }
extension UInt64: Summable { public typealias Total = CheckedTotal<UInt64> }
extension Float: Summable { public typealias Total = CompensatedTotal<Float> }
extension Double: Summable { public typealias Total = CompensatedTotal<Double> }
