internal import WeirCore
internal import WeirRecords

/// Makes the values of a field what its declared type says.
struct FieldConverter {
    let times: InputTimes
    let tellsTextFromNumbers: Bool

    init(_ schema: OutputSchema) {
        times = schema.times ?? InputTimes(unit: schema.timeUnit)
        tellsTextFromNumbers = schema.tellsTextFromNumbers
    }

    /// Appends the text of a field as an encoder is to write it.
    ///
    /// - Returns: What the field is. Text of an input that does not tell text from numbers, without a declared type,
    ///   may be anything.
    /// - Throws: `FieldError` when the value is not of the type.
    func append(
        field: Int,
        as type: FieldType?,
        recordAt index: Int,
        of batch: borrowing RecordBatch,
        to bytes: inout [UInt8]
    ) throws(FieldError) -> FieldShape {
        let start = bytes.count
        let shape = batch.appendText(ofField: field, recordAt: index, to: &bytes)
        guard let type, shape != .absent, shape != .null else { return shape }
        if type == .text { return .text }
        if bytes.count == start, !tellsTextFromNumbers { return .null }
        if type == .json { return try json(&bytes, from: start, shape, field) }
        let (text, result) = unsafe try bytes.withUnsafeBufferPointer { all throws(FieldError) in
            let text = unsafe UnsafeBufferPointer(rebasing: all[start...])
            return unsafe try converted(text, shape, to: type, field)
        }
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: text.utf8)
        return result
    }

    private func converted(
        _ text: UnsafeBufferPointer<UInt8>,
        _ shape: FieldShape,
        to type: FieldType,
        _ field: Int
    ) throws(FieldError) -> (String, FieldShape) {
        func refuse(_ reason: FieldError.Reason) -> FieldError { FieldError(field: field, reason: reason) }
        func excerpt() -> String { unsafe Excerpt.of(text, limit: 40) }
        guard shape != .nested else { throw refuse(.unacceptable("is an array or an object: '\(excerpt())'")) }
        switch type {
        case .integer:
            switch unsafe DecimalText.integer(text) {
            case .value(let value): return (String(value), .bare)
            case .outOfRange: throw refuse(.outOfRange(excerpt()))
            case .malformed: throw refuse(.notAnInteger(excerpt()))
            }
        case .float:
            guard let value = unsafe DecimalText.double(text) else { throw refuse(.notANumber(excerpt())) }
            guard value.isFinite else { throw refuse(.notFinite) }
            return (value.description, .bare)
        case .decimal:
            guard PlainDecimal(unsafe text.span) != nil else {
                throw refuse(.unacceptable("is not a plain decimal number of 18 digits: '\(excerpt())'"))
            }
            return (unsafe String(decoding: text, as: UTF8.self), .bare)
        case .boolean:
            if unsafe text.elementsEqual("true".utf8) { return ("true", .bare) }
            if unsafe text.elementsEqual("false".utf8) { return ("false", .bare) }
            throw refuse(.notABoolean(excerpt()))
        case .time:
            let result = unsafe times.nanoseconds(text, isCounted: true)
            guard case .value(let value) = result else { throw refuse(result.reason(excerpt: excerpt())) }
            return (Timestamp(nanosecondsSinceEpoch: value).description, .text)
        case .text, .json: return (unsafe String(decoding: text, as: UTF8.self), .text)
        }
    }

    /// What a JSON text stands for, where the input does not tell.
    private func json(
        _ bytes: inout [UInt8],
        from start: Int,
        _ shape: FieldShape,
        _ field: Int
    ) throws(FieldError) -> FieldShape {
        guard shape == .text, !tellsTextFromNumbers else { return shape }
        let value = unsafe bytes.withUnsafeBufferPointer { all in
            unsafe JSONValueText(all.baseAddress, from: start, to: all.count)
        }
        guard let value else {
            throw FieldError(
                field: field,
                reason: .unacceptable("is not JSON: '\(Excerpt.of(bytes[start...], limit: 40))'")
            )
        }
        switch value.encoding {
        case .null:
            bytes.removeSubrange(start...)
            return .null
        case .plain, .escaped:
            // Escapes are longer than what they stand for, so the text can take their place afterwards.
            let end = bytes.count
            var text: [UInt8] = []
            unsafe bytes.withUnsafeBufferPointer { all in
                let inner = unsafe UnsafeBufferPointer(rebasing: all[value.start..<value.end])
                _ = unsafe QuotedText.appendResolvingEscapes(inner, to: &text)
            }
            bytes.replaceSubrange(start..<end, with: text)
            return .text
        case .nested: return .nested
        default: return .bare
        }
    }
}
