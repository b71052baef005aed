internal import CWeir

/// How the numbers of a column compare with a constant.
package enum ColumnComparison: UInt32, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// Compares up to 512 numbers.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of a column.
    ///   - rows: Which of them; at most 512, all within the column.
    ///   - constant: The constant.
    /// - Returns: A bit for each of them, the first one's in the lowest place of the first word: whether it compares so. Nothing
    ///   compares with what is not a number, and everything differs from it.
    /// - Complexity: O(*n*) for *n* rows; allocates nothing.
    package func bits(of numbers: [Double], _ rows: Range<Int>, with constant: Double) -> SIMD8<UInt64> {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= numbers.count, "the column has no rows \(rows)")
        precondition(rows.count <= 512, "512 rows are compared at a time, not \(rows.count)")
        var bits = SIMD8<UInt64>.zero
        unsafe numbers.withUnsafeBufferPointer { numbers in
            guard let first = numbers.baseAddress else { return }
            // Eight words have room for the bits of 512 numbers.
            unsafe withUnsafeMutableBytes(of: &bits) { bytes in
                guard let words = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt64.self) else { return }
                unsafe cweir_compare_doubles(
                    first + rows.lowerBound,
                    rows.count,
                    cweir_comparison_t(rawValue: rawValue),
                    constant,
                    words
                )
            }
        }
        return bits
    }
}
