internal import CWeir
internal import WeirCore

/// The texts of one field in all records of a batch, as numbers: each text is kept once.
///
/// Texts that come again and again, such as names of devices or kinds of events, are compared and counted as numbers.
///
///     func count(_ kinds: inout TextColumn, in batch: borrowing RecordBatch, _ counts: inout [Int]) {
///         kinds.read(batch)
///         while counts.count < kinds.texts.count { counts.append(0) }
///         for code in kinds.codes where code >= 0 { counts[Int(code)] += 1 }
///     }
///
/// Quotes and escapes are resolved; a number is the text that the input writes, also in a format that stores its value.
/// Memory grows with the texts that differ, up to the limit; what is beyond it has no number and is counted.
///
/// Thread safety: none; for one thread at a time.
@safe
public struct TextColumn: ~Copyable {
    /// The index of the field in the schema.
    public let field: Int

    /// The number of each record's text, an index into ``texts``; negative where it has none.
    public private(set) var codes: [Int32] = []

    /// The texts, in the order in which they came first.
    public private(set) var texts: [String] = []

    /// How many records had a new text when there were as many texts as there may be.
    public private(set) var beyondLimitCount: UInt64 = 0

    // Safety: created in `init`, freed in `deinit`, and used by this column only.
    private let symbols: OpaquePointer

    /// Creates an empty column.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema of the batches.
    ///   - limit: How many texts there may be, from 1 to 2²⁸.
    public init(field: Int, limit: Int = 1 << 20) {
        precondition(field >= 0, "there is no field \(field)")
        precondition((1...1 << 28).contains(limit), "a column has from 1 to 2²⁸ texts, not \(limit)")
        // A random seed, so that nobody can make texts collide.
        guard let symbols = unsafe cweir_symbols_create(limit, UInt64.random(in: .min ... .max)) else {
            fatalError("no memory for a table of texts")
        }
        self.field = field
        unsafe self.symbols = symbols
    }

    /// Creates an empty column.
    ///
    /// - Parameters:
    ///   - key: The field; the batches must have the schema of its keys.
    ///   - limit: How many texts there may be, from 1 to 2²⁸.
    public init(_ key: some FieldKey, limit: Int = 1 << 20) {
        self.init(field: key.rawValue, limit: limit)
    }

    deinit {
        unsafe cweir_symbols_destroy(symbols)
    }

    /// Reads the field of all records of a batch, in the place of what was read before; the texts stay.
    ///
    /// - Parameter batch: The batch; its schema must have the field.
    /// - Complexity: O(*n*) for *n* bytes of the fields. Allocates for new texts only, and for a batch that is larger than
    ///   all before it.
    public mutating func read(_ batch: borrowing RecordBatch) {
        let column = batch.allRecords(ofField: field)
        if codes.count != column.count { codes.resize(to: column.count, filledWith: -1) }
        // There are as many codes as the function writes.
        let unresolvedCount = unsafe codes.withUnsafeMutableBufferPointer { codes in
            guard let first = codes.baseAddress else { return 0 }
            return unsafe withUnsafePointer(to: column.column) { unsafe cweir_column_symbols($0, symbols, first) }
        }
        if unresolvedCount > 0 { resolve(batch) }
        let count = unsafe cweir_symbols_count(symbols)
        while texts.count < count { texts.append(text(Int32(texts.count))) }
        countBeyondLimit()
    }

    /// Reads texts with quotes or escapes, and values that are stored as such.
    private mutating func resolve(_ batch: borrowing RecordBatch) {
        for index in codes.indices where codes[index] == CWEIR_SYMBOL_UNRESOLVED {
            let code: Int32? = try? batch.fields(ofRecordAt: index).withText(field) { text in
                // The function reads as many bytes as there are, during the call.
                unsafe text.withUnsafeBufferPointer { bytes in
                    guard let first = bytes.baseAddress else { return CWEIR_SYMBOL_NONE }
                    return unsafe cweir_symbols_add(symbols, first, bytes.count)
                }
            }
            codes[index] = code ?? CWEIR_SYMBOL_NONE
        }
    }

    private mutating func countBeyondLimit() {
        var count: UInt64 = 0
        for code in codes where code == CWEIR_SYMBOL_BEYOND { count += 1 }
        beyondLimitCount += count
    }

    private func text(_ code: Int32) -> String {
        var length = 0
        let first = unsafe cweir_symbols_text(symbols, code, &length)
        return unsafe String(decoding: UnsafeBufferPointer(start: first, count: length), as: UTF8.self)
    }
}
