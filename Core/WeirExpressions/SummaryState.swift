/// The running state of a stage's elements for the summaries of a condition: four numbers.
///
/// Sums are plain, in the order of capture. A value, so a partial match that branches copies it.
@frozen
public struct SummaryState: Sendable, Hashable, BitwiseCopyable {
    /// How many values there are.
    public private(set) var count = 0
    private var sum = 0.0
    private var least = Double.infinity
    private var greatest = -Double.infinity

    /// Creates the summary of no elements.
    public init() {}

    /// Adds the value of an element.
    ///
    /// - Parameter value: The value; a missing one, or one that is no number, is ignored.
    public mutating func add(_ value: FieldValue) {
        guard let number = Double(value) else { return }
        count += 1
        sum += number
        // NaN propagates, as in Swift's sums.
        least = number < least || number.isNaN ? number : least
        greatest = number > greatest || number.isNaN ? number : greatest
    }

    /// Adds the value of an element to a copy.
    ///
    /// - Parameter value: The value.
    /// - Returns: The summary with it.
    public func adding(_ value: FieldValue) -> SummaryState {
        var copy = self
        copy.add(value)
        return copy
    }

    /// A summary.
    ///
    /// - Parameter function: What to compute.
    /// - Returns: The result: an integer for the count, a real number for others, missing where there is none.
    public func result(_ function: CapturedSummary.Function) -> FieldValue {
        switch function {
        case .count: .integer(Int64(count))
        case .sum: .real(sum)
        case .mean: count == 0 ? .missing : .real(sum / Double(count))
        case .minimum: count == 0 ? .missing : .real(least)
        case .maximum: count == 0 ? .missing : .real(greatest)
        }
    }
}

extension Double {
    /// The number that a value is.
    ///
    /// - Parameter value: The value; there is no number for one that is missing, or of another type, or not exact as a `Double`.
    public init?(_ value: FieldValue) {
        switch value {
        case .integer(let number): self.init(exactly: number)
        case .unsigned(let number): self.init(exactly: number)
        case .real(let number): self = number
        default: return nil
        }
    }
}
