internal import CWeir
public import WeirCore

/// The fields of one record, by index: what a ``FieldReader`` looks through.
///
/// Three words, so that it stays in registers.
@safe
@frozen
@usableFromInline
struct RecordFields {
    @usableFromInline let frame: UnsafePointer<RecordFrame>
    // Of the record; not written where the batch has runs.
    @usableFromInline let slots: UnsafePointer<RecordBatch.Slot>
    // Those of the frame, one step nearer.
    @usableFromInline let columns: UnsafeMutablePointer<FieldColumn>
    @usableFromInline let index: Int

    /// Creates the view of a record.
    ///
    /// - Parameters:
    ///   - frame: What the records of the batch have in common.
    ///   - slots: Where the fields are.
    ///   - index: The record's index in the batch.
    @inlinable
    init(frame: UnsafePointer<RecordFrame>, slots: UnsafePointer<RecordBatch.Slot>, index: Int) {
        unsafe self.frame = frame
        unsafe self.slots = slots
        unsafe self.columns = frame.pointee.columns
        self.index = index
    }

    /// Where a field is.
    func slot(_ field: Int) -> RecordBatch.Slot {
        if unsafe frame.pointee.isUnwritten, unsafe !frame.pointee.runs[field].isWritten {
            return unsafe frame.pointee.slot(field, at: index)
        }
        return unsafe slots[field]
    }

    private var base: UnsafePointer<UInt8> { unsafe frame.pointee.base }
    private var byteCount: Int { unsafe frame.pointee.byteCount }
    private var timeScale: TimeScale { unsafe frame.pointee.timeScale }

    @usableFromInline
    func isPresent(_ index: Int) -> Bool {
        let slot = slot(index)
        switch slot.encoding {
        case .absent, .null: return false
        default: return slot.length > 0
        }
    }

    @inlinable
    @inline(__always)
    func double(_ field: Int) throws(FieldError) -> Double {
        if unsafe columns[field].hasValue(.double, at: index) {
            return unsafe columns[field].value(at: index, as: Double.self)
        }
        return try readDouble(field)
    }

    @usableFromInline
    func readDouble(_ index: Int) throws(FieldError) -> Double {
        unsafe columns[index].wanted = .double
        if let (text, length) = unsafe shortText(index) {
            var value = 0.0
            if unsafe cweir_read_double(text, length, &value) { return value }
        }
        if let value = binaryValue(index) {
            if let number = value.double, number.isFinite { return number }
            return try unsafe value.withText { text throws(FieldError) in unsafe try double(text, index) }
        }
        return unsafe try double(numberText(index), index)
    }

    private func double(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) throws(FieldError) -> Double {
        guard let value = unsafe DecimalText.double(text) else {
            throw FieldError(field: index, reason: .notANumber(unsafe excerpt(text)))
        }
        guard value.isFinite else { throw FieldError(field: index, reason: .notFinite) }
        return value
    }

    @inlinable
    @inline(__always)
    func integer(_ field: Int) throws(FieldError) -> Int64 {
        if unsafe columns[field].hasValue(.integer, at: index) {
            return unsafe columns[field].value(at: index, as: Int64.self)
        }
        return try readInteger(field)
    }

    @usableFromInline
    func readInteger(_ index: Int) throws(FieldError) -> Int64 {
        unsafe columns[index].wanted = .integer
        if let (text, length) = unsafe shortText(index) {
            var value: Int64 = 0
            if unsafe cweir_read_integer(text, length, &value) { return value }
        }
        if let value = binaryValue(index) {
            if let number = value.integer { return number }
            return try unsafe value.withText { text throws(FieldError) in unsafe try integer(text, index) }
        }
        return unsafe try integer(numberText(index), index)
    }

    private func integer(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) throws(FieldError) -> Int64 {
        switch unsafe DecimalText.integer(text) {
        case .value(let value): return value
        case .outOfRange: throw FieldError(field: index, reason: .outOfRange(unsafe excerpt(text)))
        case .malformed: throw FieldError(field: index, reason: .notAnInteger(unsafe excerpt(text)))
        }
    }

    @usableFromInline
    func boolean(_ index: Int) throws(FieldError) -> Bool {
        if let value = binaryValue(index) {
            if let flag = value.boolean { return flag }
            return try unsafe value.withText { text throws(FieldError) in unsafe try boolean(text, index) }
        }
        return unsafe try boolean(present(index), index)
    }

    private func boolean(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) throws(FieldError) -> Bool {
        if unsafe text.elementsEqual("true".utf8) { return true }
        if unsafe text.elementsEqual("false".utf8) { return false }
        throw FieldError(field: index, reason: .notABoolean(unsafe excerpt(text)))
    }

    @inlinable
    @inline(__always)
    func timestamp(_ field: Int) throws(FieldError) -> Timestamp {
        if unsafe columns[field].hasValue(.time, at: index) {
            // A time is its nanoseconds and nothing else, which a test checks.
            return unsafe columns[field].value(at: index, as: Timestamp.self)
        }
        return try readTimestamp(field)
    }

    @usableFromInline
    func readTimestamp(_ index: Int) throws(FieldError) -> Timestamp {
        unsafe columns[index].wanted = .time
        return try timestamp(index, isCounted: true)
    }

    /// The field as a time.
    ///
    /// - Parameters:
    ///   - index: The index of the field.
    ///   - isCounted: Whether it counts where the clocks of its zone do not show it once.
    /// - Returns: The time.
    /// - Throws: `FieldError` when it cannot be read.
    func timestamp(_ index: Int, isCounted: Bool) throws(FieldError) -> Timestamp {
        if let scale = timeScale.ofIntegers, let (text, length) = unsafe shortText(index) {
            var value: Int64 = 0
            if unsafe cweir_read_integer(text, length, &value) {
                let (nanoseconds, overflow) = value.multipliedReportingOverflow(by: scale)
                if !overflow { return Timestamp(nanosecondsSinceEpoch: nanoseconds) }
            }
        }
        if let value = binaryValue(index) {
            if let time = timeScale.nanoseconds(value) { return Timestamp(nanosecondsSinceEpoch: time) }
            return try unsafe value.withText { text throws(FieldError) in
                unsafe try timestamp(text, index, isCounted)
            }
        }
        return unsafe try timestamp(present(index), index, isCounted)
    }

    private func timestamp(
        _ text: UnsafeBufferPointer<UInt8>,
        _ index: Int,
        _ isCounted: Bool
    ) throws(FieldError) -> Timestamp {
        let result = unsafe timeScale.nanoseconds(text, isCounted: isCounted)
        if case .value(let nanoseconds) = result { return Timestamp(nanosecondsSinceEpoch: nanoseconds) }
        throw FieldError(field: index, reason: result.reason(excerpt: unsafe excerpt(text)))
    }

    @usableFromInline
    func string(_ index: Int) throws(FieldError) -> String {
        let slot = slot(index)
        let text = unsafe fieldBytes(of: slot)
        let result: String? =
            switch slot.encoding {
            case .absent, .null: throw FieldError(field: index, reason: .missing)
            case .plain, .bare, .nested: unsafe String(validating: text, as: UTF8.self)
            case .doubledQuotes: unsafe QuotedText.undoublingQuotes(text)
            case .escaped: unsafe QuotedText.resolvingEscapes(text)
            case .hexEscaped: unsafe QuotedText.string(of: text) { unsafe QuotedText.resolveHexEscapes($0, $1) }
            case .signEscaped: unsafe QuotedText.string(of: text) { unsafe QuotedText.resolveSignEscapes($0, $1) }
            case .integer, .decimal, .float, .boolean, .time:
                unsafe BinaryValue(base: base, slot: slot).withText { unsafe String(validating: $0, as: UTF8.self) }
            }
        guard let result else { throw FieldError(field: index, reason: .invalidUTF8) }
        return result
    }

    @inlinable
    func withBytes<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) throws(FieldError) -> Result {
        // The text, so that the same value has the same bytes however many of them a block stores it in.
        if let value = binaryValue(index) { return unsafe value.withText { body(unsafe $0.span) } }
        let text = unsafe try present(index)
        return body(unsafe text.span)
    }

    /// Calls a function with the text of a field, with quotes and escapes resolved: the same for the same value, however
    /// the input writes it.
    func withText<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) throws(FieldError) -> Result {
        switch slot(index).encoding {
        case .doubledQuotes, .escaped, .hexEscaped, .signEscaped:
            var text = try string(index)
            // The span is of memory that stays as it is during the call.
            return text.withUTF8 { body(unsafe $0.span) }
        default: return try withBytes(index, body)
        }
    }

    /// Appends the text of a field, with quotes and escapes resolved.
    ///
    /// - Returns: What the field is.
    func appendText(_ index: Int, to bytes: inout [UInt8]) -> FieldShape {
        let slot = slot(index)
        let text = unsafe fieldBytes(of: slot)
        switch slot.encoding {
        case .absent: return .absent
        case .null: return .null
        case .plain, .bare, .nested:
            unsafe bytes.append(contentsOf: text)
            return slot.encoding == .plain ? .text : slot.encoding == .bare ? .bare : .nested
        case .doubledQuotes:
            unsafe QuotedText.appendUndoublingQuotes(text, to: &bytes)
            return .text
        case .escaped:
            _ = unsafe QuotedText.appendResolvingEscapes(text, to: &bytes)
            return .text
        case .hexEscaped:
            unsafe QuotedText.resolveHexEscapes(text) { bytes.append($0) }
            return .text
        case .signEscaped:
            unsafe QuotedText.resolveSignEscapes(text) { bytes.append($0) }
            return .text
        case .integer, .decimal, .float, .boolean, .time:
            let value = unsafe BinaryValue(base: base, slot: slot)
            if let number = value.integer, slot.encoding == .integer {
                DecimalText.append(number, to: &bytes)
            } else {
                unsafe value.withText { unsafe bytes.append(contentsOf: $0) }
            }
            return slot.encoding == .time ? .text : .bare
        }
    }

    /// The text of a field for the quick readers, which need some bytes behind it; `nil` where it is not just text.
    @inline(__always)
    private func shortText(_ index: Int) -> (UnsafePointer<UInt8>, length: Int)? {
        let slot = slot(index)
        guard slot.encoding == .plain || slot.encoding == .bare,
            byteCount &- Int(slot.start) >= Int(CWEIR_NUMBER_READ)
        else { return nil }
        return unsafe (base + Int(slot.start), Int(slot.length))
    }

    /// The value of a field that is one, and not text.
    @usableFromInline
    func binaryValue(_ index: Int) -> BinaryValue? {
        let slot = slot(index)
        return unsafe slot.encoding.isBinary ? BinaryValue(base: base, slot: slot) : nil
    }

    /// The bytes of a field that is there and not empty.
    @usableFromInline
    func present(_ index: Int) throws(FieldError) -> UnsafeBufferPointer<UInt8> {
        let slot = slot(index)
        guard slot.encoding != .absent, slot.encoding != .null, slot.length > 0 else {
            throw FieldError(field: index, reason: .missing)
        }
        return unsafe fieldBytes(of: slot)
    }

    /// The bytes of a field that may be a number.
    private func numberText(_ index: Int) throws(FieldError) -> UnsafeBufferPointer<UInt8> {
        let text = unsafe try present(index)
        switch slot(index).encoding {
        case .nested: throw FieldError(field: index, reason: .notANumber(unsafe excerpt(text)))
        default: return unsafe text
        }
    }

    private func fieldBytes(of slot: RecordBatch.Slot) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: base + Int(slot.start), count: Int(slot.length))
    }

    // Never inlined: it would take the place of what every field needs.
    @inline(never)
    private func excerpt(_ text: UnsafeBufferPointer<UInt8>) -> String {
        unsafe Excerpt.of(text, limit: 40)
    }
}
