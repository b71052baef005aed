/// The values of one field in all records of a batch, side by side.
///
/// A consumer that computes on whole columns reads each of them once per batch, and then has plain arrays:
///
///     func sum(_ values: inout RecordColumn<Double>, of batch: borrowing RecordBatch) -> Double {
///         values.read(batch)
///         return values.values.reduce(0, +)
///     }
///
/// Where a record has no such value, the placeholder stands (zero, false, the epoch) and its bit in ``valid`` is clear.
/// A column holds copies: it stays as it is when the batch is used again.
///
/// Thread safety: a value.
public struct RecordColumn<Value: ColumnValue>: Sendable {
    /// The index of the field in the schema.
    public let field: Int

    /// The values, one for each record of the batch that was read last.
    @inlinable public var values: [Value] { elements }

    /// A bit for each record, the lowest of each word first: whether the record has such a value.
    @inlinable public var valid: [UInt64] { bits }

    /// How many records have such a value.
    @inlinable public var validCount: Int { bitCount }

    @usableFromInline var elements: [Value] = []
    @usableFromInline var bits: [UInt64] = []
    @usableFromInline var bitCount = 0

    /// Creates an empty column.
    ///
    /// - Parameter field: The index of the field in the schema of the batches.
    public init(field: Int) {
        precondition(field >= 0, "there is no field \(field)")
        self.field = field
    }

    /// Creates an empty column.
    ///
    /// - Parameter key: The field; the batches must have the schema of its keys.
    public init(_ key: some FieldKey) {
        self.init(field: key.rawValue)
    }

    /// How many records there are.
    @inlinable public var count: Int { values.count }

    /// Whether every record has such a value.
    @inlinable public var isComplete: Bool { validCount == values.count }

    /// Says whether a record has such a value.
    ///
    /// - Parameter index: The record's index, below ``count``.
    /// - Returns: Whether its bit in ``valid`` is set.
    @inlinable
    public func isValid(_ index: Int) -> Bool {
        bits[index >> 6] >> UInt64(index & 63) & 1 != 0
    }

    /// Reads the field of all records of a batch, in the place of what was read before.
    ///
    /// - Parameter batch: The batch; its schema must have the field.
    /// - Complexity: O(*n*) for *n* bytes of the fields. No allocation but for a batch that is larger than all before it.
    @inlinable
    public mutating func read(_ batch: borrowing RecordBatch) {
        readQuickly(batch)
        if bitCount < count { readRest(batch) }
    }

    /// Reads what can be read in one pass over the column; of a number that is its digits alone, or the value itself.
    ///
    /// Other records are left out, with the placeholder, although they may have such a value.
    @inlinable
    package mutating func readQuickly(_ batch: borrowing RecordBatch) {
        let column = batch.allRecords(ofField: field)
        let count = column.count
        let wordCount = (count + 63) >> 6
        if elements.count != count {
            elements.resize(to: count, filledWith: Value.columnReading.placeholder)
            bits.resize(to: wordCount, filledWith: 0)
        }
        // The arrays have as many elements as the function writes.
        bitCount = unsafe elements.withUnsafeMutableBufferPointer { values in
            unsafe bits.withUnsafeMutableBufferPointer { valid in
                guard let first = values.baseAddress, let word = valid.baseAddress else { return 0 }
                return unsafe Value.columnReading.readAll(column, first, word)
            }
        }
    }

    /// Reads what the quick way has left.
    @inlinable
    mutating func readRest(_ batch: borrowing RecordBatch) {
        for word in bits.indices {
            var missing = ~bits[word]
            let rest = elements.count - word << 6
            if rest < 64 { missing &= 1 << UInt64(rest) - 1 }
            while missing != 0 {
                let bit = missing.trailingZeroBitCount
                missing &= missing - 1
                let index = word << 6 + bit
                do throws(FieldError) {
                    elements[index] = try Value.columnReading.readOne(batch.fields(ofRecordAt: index), field)
                    bits[word] |= 1 << UInt64(bit)
                    bitCount += 1
                } catch {
                    elements[index] = Value.columnReading.placeholder
                }
            }
        }
    }

    /// Why a record has no such value.
    ///
    /// - Parameters:
    ///   - index: The record's index, below ``count``.
    ///   - batch: The batch that was read last.
    /// - Returns: The error, which `RecordBatch.reject(recordAt:because:)` takes; `nil` when it has one.
    public func error(at index: Int, in batch: borrowing RecordBatch) -> FieldError? {
        do throws(FieldError) {
            _ = try Value.columnReading.readOne(batch.fields(ofRecordAt: index), field)
            return nil
        } catch {
            return error
        }
    }
}

extension Array {
    @inlinable
    mutating func resize(to count: Int, filledWith element: Element) {
        if count < self.count {
            removeLast(self.count - count)
        } else {
            append(contentsOf: repeatElement(element, count: count - self.count))
        }
    }
}
