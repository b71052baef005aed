internal import WeirCore
internal import WeirRecords

/// Finds messages in lines, or takes a frame as one.
struct SyslogMessageDecoder: RecordDecoder {
    private var lines: LineTracker
    /// The frame that is read, where each is a message.
    private let frame: FrameNumber?
    private let memory: SyslogMemory
    private let clock: any TimeSource
    /// How times without a zone are read.
    private let times: InputTimes?

    /// For each part, the fields that want it.
    private var wanted: [[Int]]

    /// The wanted values of structured data: their names behind `data.`, and their fields.
    private var wantedData: [(name: [UInt8], field: Int)] = []

    init(
        for schema: RecordSchema,
        limits: FormatLimits,
        clock: any TimeSource,
        frame: FrameNumber?,
        memory: SyslogMemory
    ) {
        lines = LineTracker(limits)
        self.clock = clock
        times = schema.times
        self.frame = frame
        self.memory = memory
        wanted = Array(repeating: [], count: SyslogPart.allCases.count)
        for (index, field) in schema.fields.enumerated() {
            if let part = SyslogPart.allCases.first(where: { $0.name == field.name }) {
                wanted[part.rawValue].append(index)
            } else if field.name.hasPrefix("data.") {
                wantedData.append((Array(field.name.utf8.dropFirst(5)), index))
            }
        }
    }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let count = bytes.count
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        if let frame {
            // A frame may have no bytes, and an end of a line that a line has.
            var end = count
            for byte in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where unsafe end > 0 && base[end - 1] == byte {
                end -= 1
            }
            lines.line = frame.value
            unsafe readMessage(base, from: 0, to: end, into: &batch)
            return count
        }
        guard var start = unsafe lines.passByteOrderMark(base, count: count, isFinal: isFinal) else { return 0 }
        while let line = unsafe lines.nextLine(base, from: &start, count: count, isFinal: isFinal, into: &batch) {
            unsafe readMessage(base, from: line.lowerBound, to: line.upperBound, into: &batch)
            lines.line &+= 1
        }
        return start
    }

    private mutating func readMessage(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) {
        guard end > start else { return }
        let line = lines.line
        batch.beginRecord(line: line)
        do throws(SyslogFlaw) {
            guard unsafe UTF8Text.isValid(base, from: start, to: end) else {
                throw SyslogFlaw("the message is not valid UTF-8")
            }
            var text = unsafe SyslogText(base, from: start, to: end)
            unsafe try read(&text, into: &batch)
            batch.endRecord(start: start, length: end - start)
        } catch {
            batch.reject(line: line, reason: error.reason, start: start, length: end - start)
        }
    }

    // MARK: Messages

    private func read(_ text: inout SyslogText, into batch: inout RecordBatch) throws(SyslogFlaw) {
        let priority = unsafe try text.priority()
        if let priority {
            set(.facility, toNumber: priority >> 3, in: &batch)
            set(.severity, toNumber: priority & 7, in: &batch)
            if unsafe text.take("1 ") {
                unsafe try readModern(&text, into: &batch)
                return
            }
        }
        unsafe try readOld(&text, hasPriority: priority != nil, into: &batch)
    }

    /// Reads what follows `<PRI>1 `.
    private func readModern(_ text: inout SyslogText, into batch: inout RecordBatch) throws(SyslogFlaw) {
        for part in [SyslogPart.time, .host, .app, .procid, .msgid] {
            let word = unsafe text.word()
            guard !word.isEmpty, unsafe text.take(" ") else {
                throw SyslogFlaw("the header of RFC 5424 breaks off at its \(part.name)")
            }
            if unsafe !text.isNil(word) { set(part, to: word, in: &batch) }
        }
        if unsafe !text.take("-") {
            let data = unsafe try text.structuredData { id, name, value in
                var plain: Range<Int>?
                for (wanted, field) in wantedData where unsafe text.has(id, name, named: wanted) {
                    let place = unsafe plain ?? withoutEscapes(value, text, in: batch)
                    plain = place
                    batch.setField(field, start: place.lowerBound, length: place.count, encoding: .plain)
                }
            }
            set(.data, to: data.range, in: &batch)
            unsafe text.place = data.end
        }
        guard unsafe text.place < text.end else { return }
        guard unsafe text.take(" ") else { throw SyslogFlaw("a blank is missing behind the structured data") }
        _ = unsafe text.take("\u{FEFF}")
        unsafe set(.message, to: text.place..<text.end, in: &batch)
    }

    /// Reads a message as RFC 3164 describes it, and as programs write it to files.
    private func readOld(
        _ text: inout SyslogText,
        hasPriority: Bool,
        into batch: inout RecordBatch
    ) throws(SyslogFlaw) {
        if let date = unsafe text.oldTime() {
            guard let time = time(of: date) else { throw SyslogFlaw("there is no such day") }
            set(.time, toTime: time, in: &batch)
        } else if let word = unsafe text.internetTime() {
            set(.time, to: word, in: &batch)
        } else {
            guard hasPriority else {
                throw SyslogFlaw(
                    "it is no message of syslog, which begins with '<PRI>' or a time such as 'Oct 11 22:14:15'"
                )
            }
            unsafe set(.message, to: text.place..<text.end, in: &batch)
            return
        }
        _ = unsafe text.take(" ")
        var tag = unsafe text.tag()
        if tag == nil {
            let host = unsafe text.word()
            set(.host, to: host, in: &batch)
            _ = unsafe text.take(" ")
            tag = unsafe text.tag()
        }
        if let tag {
            set(.app, to: tag.name, in: &batch)
            if let number = tag.number { set(.procid, to: number, in: &batch) }
            unsafe text.place = tag.end
            _ = unsafe text.take(" ")
        }
        unsafe set(.message, to: text.place..<text.end, in: &batch)
    }

    /// The latest time of a date that is not over a day ahead of the clock, in nanoseconds since the epoch.
    private func time(of date: SyslogText.OldTime) -> Int64? {
        let day: Int64 = 86_400_000_000_000
        let limit = clock.now().nanosecondsSinceEpoch.addingReportingOverflow(day).partialValue
        let latest = GregorianCalendar.date(daysSinceEpoch: limit / day).year
        // Leap days are up to eight years apart.
        for year in stride(from: latest, through: latest - 8, by: -1) {
            guard date.day <= GregorianCalendar.dayCount(of: date.month, in: year) else { continue }
            let days = GregorianCalendar.daysSinceEpoch(year, date.month, date.day)
            let local = days * 86_400 + date.second
            let time = (local - (times?.countedZoneOffset(atLocal: local) ?? 0)) * 1_000_000_000
            if time <= limit { return time }
        }
        return nil
    }

    // MARK: Fields

    private func set(_ part: SyslogPart, to range: Range<Int>, in batch: inout RecordBatch) {
        guard !range.isEmpty else { return }
        for field in wanted[part.rawValue] {
            batch.setField(field, start: range.lowerBound, length: range.count, encoding: .plain)
        }
    }

    private func set(_ part: SyslogPart, toNumber number: Int, in batch: inout RecordBatch) {
        let place = memory.append(UInt8(number)) - batch.origin
        for field in wanted[part.rawValue] { batch.setField(field, start: place, length: 1, encoding: .integer) }
    }

    private func set(_ part: SyslogPart, toTime time: Int64, in batch: inout RecordBatch) {
        let place = memory.append(time) - batch.origin
        for field in wanted[part.rawValue] { batch.setField(field, start: place, length: 8, encoding: .time) }
    }

    /// A value of structured data without its escapes.
    ///
    /// - Returns: Its place, which is another one where there are some.
    private func withoutEscapes(
        _ value: Range<Int>,
        _ text: SyslogText,
        in batch: borrowing RecordBatch
    ) -> Range<Int> {
        guard unsafe text.hasEscapes(value) else { return value }
        let start = memory.place
        unsafe text.forEachUnescaped(value) { _ = memory.append($0) }
        return start - batch.origin..<memory.place - batch.origin
    }
}

/// What is wrong with a message.
struct SyslogFlaw: Error {
    /// For people.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
