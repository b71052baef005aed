internal import WeirCore

/// How the times of a batch are read.
@safe
@frozen
@usableFromInline
struct TimeScale {
    /// What a bare number counts.
    private let nanoseconds: Int64

    // Unmanaged, so that reading costs no counting of references: the batch's schema keeps it.
    private let times: Unmanaged<InputTimes>?

    /// The way of a schema, which has to live as long as the scale is used.
    init(_ schema: RecordSchema) {
        nanoseconds = schema.timeUnit.nanoseconds
        unsafe times = schema.times.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// What a whole number counts, where nothing else needs to be known about it.
    var ofIntegers: Int64? {
        guard let times = unsafe times else { return nanoseconds }
        return unsafe times._withUnsafeGuaranteedRef { $0.scaleOfIntegers }
    }

    /// The nanoseconds of a text since the epoch, or why there are none.
    func nanoseconds(_ text: UnsafeBufferPointer<UInt8>, isCounted: Bool) -> InputTimes.Result {
        if let times = unsafe times {
            return unsafe times._withUnsafeGuaranteedRef { unsafe $0.nanoseconds(text, isCounted: isCounted) }
        }
        switch unsafe TimeText.nanoseconds(text, scale: nanoseconds) {
        case .value(let nanoseconds): return .value(nanoseconds)
        case .outOfRange: return .outOfRange
        case .malformed: return unsafe TimeText.isWithoutZone(text) ? .withoutZone : .notATime
        }
    }

    /// The nanoseconds of a value since the epoch, where it needs not be read as text.
    func nanoseconds(_ value: BinaryValue) -> Int64? {
        guard let times = unsafe times else { return value.nanoseconds(scale: nanoseconds) }
        guard let time = value.time else { return nil }
        unsafe times._withUnsafeGuaranteedRef { $0.note(.binaryTime) }
        return time
    }
}
