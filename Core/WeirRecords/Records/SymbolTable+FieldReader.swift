public import WeirCore

extension SymbolTable {
    /// The symbol of a field's text, with quotes and escapes resolved.
    ///
    /// - Parameters:
    ///   - record: Valid only during the call.
    ///   - key: The field.
    ///   - time: The record's time, for a table that forgets.
    ///   - limitOption: The option that sets the table's limit, without the dashes, for the message.
    /// - Returns: The symbol.
    /// - Throws: ``FieldError`` when the field is missing or not valid UTF-8, or the table is full.
    /// - Complexity: O(*n*) on average for *n* bytes; allocates only for new texts.
    public func symbol<Key: FieldKey>(
        of record: borrowing FieldReader<Key>,
        _ key: Key,
        at time: Timestamp = .distantPast,
        limitOption: String
    ) throws(FieldError) -> Symbol {
        if let symbol = try record.record.withText(key.rawValue, { symbol(for: $0, at: time) }) { return symbol }
        let isText = try record.record.withText(key.rawValue) { text in
            unsafe text.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) } != nil
        }
        guard isText else { throw FieldError(key, .invalidUTF8) }
        throw FieldError(
            key,
            .unacceptable("has more than \(limit) different values at a time; raise --\(limitOption)")
        )
    }
}
