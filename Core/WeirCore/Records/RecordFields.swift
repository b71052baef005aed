/// The fields of one record, by index: what a ``FieldReader`` looks through.
@safe
@frozen
@usableFromInline
struct RecordFields {
    @usableFromInline let base: UnsafePointer<UInt8>
    @usableFromInline let slots: UnsafePointer<RecordBatch.Slot>
    @usableFromInline let timeScale: Int64

    @inlinable
    init(base: UnsafePointer<UInt8>, slots: UnsafePointer<RecordBatch.Slot>, timeScale: Int64) {
        unsafe self.base = base
        unsafe self.slots = slots
        self.timeScale = timeScale
    }

    @usableFromInline
    func isPresent(_ index: Int) -> Bool {
        let slot = unsafe slots[index]
        switch slot.encoding {
        case .absent, .null: return false
        default: return slot.length > 0
        }
    }

    @usableFromInline
    func double(_ index: Int) throws(FieldError) -> Double {
        let text = unsafe try numberText(index)
        guard let value = unsafe DecimalText.double(text) else {
            throw FieldError(field: index, reason: .notANumber(unsafe excerpt(text)))
        }
        guard value.isFinite else { throw FieldError(field: index, reason: .notFinite) }
        return value
    }

    @usableFromInline
    func integer(_ index: Int) throws(FieldError) -> Int64 {
        let text = unsafe try numberText(index)
        switch unsafe DecimalText.integer(text) {
        case .value(let value): return value
        case .outOfRange: throw FieldError(field: index, reason: .outOfRange(unsafe excerpt(text)))
        case .malformed: throw FieldError(field: index, reason: .notAnInteger(unsafe excerpt(text)))
        }
    }

    @usableFromInline
    func boolean(_ index: Int) throws(FieldError) -> Bool {
        let text = unsafe try present(index)
        if unsafe text.elementsEqual("true".utf8) { return true }
        if unsafe text.elementsEqual("false".utf8) { return false }
        throw FieldError(field: index, reason: .notABoolean(unsafe excerpt(text)))
    }

    @usableFromInline
    func timestamp(_ index: Int) throws(FieldError) -> Timestamp {
        let text = unsafe try present(index)
        switch unsafe TimeText.nanoseconds(text, scale: timeScale) {
        case .value(let nanoseconds): return Timestamp(nanosecondsSinceEpoch: nanoseconds)
        case .outOfRange: throw FieldError(field: index, reason: .outOfRange(unsafe excerpt(text)))
        case .malformed: throw FieldError(field: index, reason: .notATime(unsafe excerpt(text)))
        }
    }

    @usableFromInline
    func string(_ index: Int) throws(FieldError) -> String {
        let slot = unsafe slots[index]
        let text = unsafe bytes(of: slot)
        let result: String? =
            switch slot.encoding {
            case .absent, .null: throw FieldError(field: index, reason: .missing)
            case .plain, .bare, .nested: unsafe String(validating: text, as: UTF8.self)
            case .doubledQuotes: unsafe QuotedText.undoublingQuotes(text)
            case .escaped: unsafe QuotedText.resolvingEscapes(text)
            }
        guard let result else { throw FieldError(field: index, reason: .invalidUTF8) }
        return result
    }

    @inlinable
    func withBytes<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) throws(FieldError) -> Result {
        let text = unsafe try present(index)
        return unsafe body(text.span)
    }

    /// The bytes of a field that is there and not empty.
    @usableFromInline
    func present(_ index: Int) throws(FieldError) -> UnsafeBufferPointer<UInt8> {
        let slot = unsafe slots[index]
        guard slot.encoding != .absent, slot.encoding != .null, slot.length > 0 else {
            throw FieldError(field: index, reason: .missing)
        }
        return unsafe bytes(of: slot)
    }

    /// The bytes of a field that may be a number.
    private func numberText(_ index: Int) throws(FieldError) -> UnsafeBufferPointer<UInt8> {
        let text = unsafe try present(index)
        switch unsafe slots[index].encoding {
        case .nested: throw FieldError(field: index, reason: .notANumber(unsafe excerpt(text)))
        default: return unsafe text
        }
    }

    private func bytes(of slot: RecordBatch.Slot) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: base + Int(slot.start), count: Int(slot.length))
    }

    private func excerpt(_ text: UnsafeBufferPointer<UInt8>) -> String {
        unsafe Excerpt.of(text, limit: 40)
    }
}
