internal import Synchronization
internal import WeirCore

extension InputTimes {
    /// What became of a text that should be a time.
    package enum Result {
        case value(Int64)
        case outOfRange
        case notATime
        case withoutZone
        case otherFormat
        case otherUnit(TimeUnit, first: TimeUnit)
        case unclearUnit
    }

    /// Reads a time.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isCounted: Whether the time counts where clocks do not show it once.
    /// - Returns: The nanoseconds since the epoch, or why there are none.
    /// - Complexity: O(*n*) for *n* bytes; no allocation.
    package func nanoseconds(_ text: UnsafeBufferPointer<UInt8>, isCounted: Bool) -> Result {
        guard let first = text.baseAddress else { return .notATime }
        var next = unsafe first
        var end = unsafe first + text.count
        unsafe DecimalText.trimBlanks(&next, &end)
        let text = unsafe UnsafeBufferPointer(start: next, count: end - next)
        if let format { return unsafe nanoseconds(text, in: format, isCounted) }
        // What a date has in its fifth place, and a number nowhere but in its exponent.
        if unsafe text.count < 10 || text[4] != UInt8(ascii: "-") && text[4] != UInt8(ascii: "/") {
            let result = unsafe number(next, end)
            guard case .notATime = result else { return result }
        }
        var form = CalendarForm(rawValue: 0)
        if let reading = unsafe CalendarText.reading(text, &form) {
            let result = nanoseconds(of: reading, isCounted)
            if case .value = result { note(SeenForm(form)) }
            return result
        }
        return unsafe number(next, end)
    }

    /// Whether a text is a time; it is not counted.
    package func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        // The buffer lives while it is read.
        let result = unsafe bytes.withUnsafeBufferPointer { unsafe nanoseconds($0, isCounted: false) }
        return if case .value = result { true } else { false }
    }

    private func number(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Result {
        guard unsafe first < end else { return .notATime }
        let sign = unsafe first.pointee
        let isNegative = sign == UInt8(ascii: "-")
        let digits = unsafe isNegative || sign == UInt8(ascii: "+") ? first + 1 : first
        guard let decimal = unsafe ScaledDecimal(digits, end) else { return .notATime }
        var scale = unit
        if scale == nil {
            guard case .value(let count) = unsafe decimal.multiplied(by: 1, isNegative: false) else {
                return .outOfRange
            }
            guard let found = TimeUnit(ofEpochCount: count) else { return .unclearUnit }
            if let first = unitSeen, first != found { return .otherUnit(found, first: first) }
            scale = found
        }
        let unit = scale ?? .milliseconds
        switch unsafe decimal.multiplied(by: unit.nanoseconds, isNegative: isNegative) {
        case .value(let value):
            note(SeenForm(unit))
            // Another thread may have been first, with another unit.
            if self.unit == nil, let first = unitSeen, first != unit { return .otherUnit(unit, first: first) }
            return .value(value)
        case .outOfRange: return .outOfRange
        case .malformed: return .notATime
        }
    }

    private func nanoseconds(
        _ text: UnsafeBufferPointer<UInt8>,
        in format: TimeFormat,
        _ isCounted: Bool
    ) -> Result {
        guard var reading = unsafe format.reading(text) else { return .otherFormat }
        if let epoch = reading.epoch {
            let (product, overflow) = epoch.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, carry) = product.addingReportingOverflow(reading.clock.nanosecond)
            return overflow || carry ? .outOfRange : .value(reading.isBeforeEpoch ? -sum : sum)
        }
        if let place = reading.zoneName {
            let name = unsafe UnsafeBufferPointer(rebasing: text[place])
            guard let local = reading.clock.localSeconds else { return .notATime }
            let isUTC = unsafe name.elementsEqual("UTC".utf8) || name.elementsEqual("GMT".utf8)
            guard let offset = unsafe zone?.offset(atLocal: local, called: name) ?? (isUTC ? 0 : nil) else {
                return .otherFormat
            }
            reading.clock.offset = offset
        }
        let result = nanoseconds(of: reading.clock, isCounted)
        if case .value = result, let offset = reading.clock.offset {
            var form = CalendarForm(rawValue: CalendarForm.Layout.dateFirst.rawValue)
            form.offset = offset
            note(SeenForm(form))
        }
        return result
    }

    @inline(__always)
    private func nanoseconds(of reading: ClockReading, _ isCounted: Bool) -> Result {
        guard let local = reading.localSeconds else { return .notATime }
        guard let offset = reading.offset ?? zoneOffset(atLocal: local, isCounted) else { return .withoutZone }
        switch reading.nanoseconds(local: local, offset: offset) {
        case .value(let value): return .value(value)
        case .outOfRange: return .outOfRange
        case .malformed: return .notATime
        }
    }

    /// The offset of the zone's clocks from UTC, in seconds, for what a format reads itself; zero without a zone.
    ///
    /// A time that they do not show once is counted.
    ///
    /// - Parameter local: Seconds since the epoch, as the clocks show them.
    /// - Returns: The seconds.
    package func countedZoneOffset(atLocal local: Int64) -> Int64 { zoneOffset(atLocal: local, true) ?? 0 }

    private func zoneOffset(atLocal local: Int64, _ isCounted: Bool) -> Int64? {
        guard let zone else { return nil }
        let last = self.place.load(ordering: .relaxed)
        var place = last
        let (offset, reading) = zone.offset(atLocal: local, place: &place)
        if place != last { self.place.store(place, ordering: .relaxed) }
        if isCounted, reading == .skipped { skipped.add(1, ordering: .relaxed) }
        if isCounted, reading == .repeated { repeated.add(1, ordering: .relaxed) }
        return offset
    }
}

extension InputTimes.Result {
    /// Why a field is no time.
    ///
    /// - Parameter text: An excerpt of what it is.
    /// - Returns: The reason; that of no time where there is a value.
    package func reason(excerpt text: String) -> FieldError.Reason {
        switch self {
        case .value, .notATime: .notATime(text)
        case .outOfRange: .outOfRange(text)
        case .withoutZone: .unacceptable("has no time zone: '\(text)'")
        case .otherFormat: .unacceptable("does not have the form of --time-format: '\(text)'")
        case .otherUnit(let unit, let first):
            .unacceptable("counts \(unit.plural), and the first time \(first.plural): '\(text)'")
        case .unclearUnit: .unacceptable("is too small to tell what it counts: '\(text)'")
        }
    }
}
