/// Means, squared deviations and their products of pairs of numbers, by Welford's method.
@frozen
public struct JointMoments: Sendable {
    @usableFromInline var count = 0.0
    @usableFromInline var meanX = 0.0
    @usableFromInline var meanY = 0.0
    @usableFromInline var squaresX = 0.0
    @usableFromInline var squaresY = 0.0
    @usableFromInline var products = 0.0
    @usableFromInline var unusual = 0

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ x: Double, _ y: Double) {
        guard x.isFinite, y.isFinite else {
            unusual += 1
            return
        }
        count += 1
        let (deltaX, deltaY) = (x - meanX, y - meanY)
        meanX += deltaX / count
        meanY += deltaY / count
        squaresX += deltaX * (x - meanX)
        squaresY += deltaY * (y - meanY)
        products += deltaX * (y - meanY)
    }

    @inlinable
    mutating func merge(_ other: JointMoments) {
        unusual += other.unusual
        guard other.count > 0 else { return }
        let total = count + other.count
        let (deltaX, deltaY) = (other.meanX - meanX, other.meanY - meanY)
        let weight = count * other.count / total
        squaresX += other.squaresX + deltaX * deltaX * weight
        squaresY += other.squaresY + deltaY * deltaY * weight
        products += other.products + deltaX * deltaY * weight
        meanX += deltaX * (other.count / total)
        meanY += deltaY * (other.count / total)
        count = total
    }

    @inlinable
    func covariance(of population: Population) -> Double {
        let divisor = population == .whole ? count : count - 1
        return unusual > 0 || divisor <= 0 ? .nan : products / divisor
    }

    @inlinable
    var correlation: Double {
        guard unusual == 0, count > 1, squaresX > 0, squaresY > 0 else { return .nan }
        return min(1, max(-1, products / (squaresX.squareRoot() * squaresY.squareRoot())))
    }

    @inlinable
    var line: Line {
        guard unusual == 0, count > 1, squaresX > 0 else {
            return Line(slope: .nan, intercept: .nan, determination: .nan)
        }
        let slope = products / squaresX
        return Line(
            slope: slope,
            intercept: meanY - slope * meanX,
            determination: squaresY > 0 ? min(1, slope * (products / squaresY)) : 1
        )
    }
}

/// A straight line through points.
@frozen
public struct Line: Sendable, Equatable {
    /// By how much y grows when x grows by one.
    public var slope: Double

    /// Where the line crosses x = 0.
    public var intercept: Double

    /// Which part of the variance of y the line explains, from 0 to 1: R².
    public var determination: Double

    /// Creates a line.
    @inlinable
    public init(slope: Double, intercept: Double, determination: Double) {
        self.slope = slope
        self.intercept = intercept
        self.determination = determination
    }
}
