/// Whether a variance is that of the elements themselves, or an estimate for the population that they are a sample of.
@frozen
public enum Population: Sendable {
    /// The elements are all there are: divides by *n*.
    case whole

    /// The elements are a sample: divides by *n* - 1, NaN for fewer than two.
    case sample
}

/// Count, mean and sum of squared deviations, by Welford's method.
///
/// Numbers cannot be removed: the digits that a large one rounds away stay lost.
@frozen
public struct Moments: Sendable {
    @usableFromInline var count = 0.0
    @usableFromInline var mean = 0.0
    @usableFromInline var squares = 0.0
    // How many are not finite.
    @usableFromInline var unusual = 0

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ number: Double) {
        guard number.isFinite else {
            unusual += 1
            return
        }
        count += 1
        let delta = number - mean
        mean += delta / count
        squares += delta * (number - mean)
    }

    @inlinable
    mutating func merge(_ other: Moments) {
        unusual += other.unusual
        guard other.count > 0 else { return }
        let total = count + other.count
        let delta = other.mean - mean
        squares += other.squares + delta * delta * (count * other.count / total)
        mean += delta * (other.count / total)
        count = total
    }

    @inlinable
    func variance(of population: Population) -> Double {
        let divisor = population == .whole ? count : count - 1
        return unusual > 0 || divisor <= 0 ? .nan : squares / divisor
    }
}
