internal import Synchronization
package import WeirCore

/// How an input writes its times, as its options say it and as the first of them shows it.
///
/// A plugin that declares ``OptionDeclaration/times`` gets it from ``OptionValues/times(countingIn:)``, reads records with
/// a schema that has it, and writes its matches with ``form``:
///
///     func schema(_ options: OptionValues, _ output: MatchOutput) throws(PluginError) -> RecordSchema {
///         let times = try options.times(countingIn: output)
///         return RecordSchema(fields: [RecordSchema.Field("time")], times: times, timeField: 0)
///     }
///
/// A time is read so: where there is a format, each text has to follow it. Otherwise a bare number counts the unit, and
/// text is RFC 3339, or what is often written in its place: `2024-06-08 16:05`, `2024/06/08 16:05:00 +0200`,
/// `08/Jun/2024:16:05:00 +0200`, `Sat Jun 08 16:05:00 +0200 2024`. A text that does not say how far its clock is from UTC
/// is read in the time zone; without one it is refused. Where the zone's clocks are set back, so that they show a time
/// twice, it is the earlier of the two; where they are set forward, so that they do not show it, it is read as if they had
/// not been set yet. Both are counted.
///
/// Thread safety: any thread. Two are equal when they read the same.
public final class InputTimes: Sendable {
    /// What is known of an input: shared by all that read it.
    package final class Seen: Sendable {
        /// The form of the first time; zero where none was read.
        let form = Atomic<UInt64>(0)

        package init() {}
    }

    /// In which form times are written.
    package enum Output: String, Sendable, CaseIterable {
        /// In that of the input.
        case input
        case rfc3339
        /// As a number of the input's unit.
        case number
    }

    /// What a bare number counts; `nil` where its magnitude says that.
    package let unit: TimeUnit?
    let zone: ZoneRules?
    let format: TimeFormat?
    let output: Output
    private let seen: Seen

    /// What read the input before, and may go on doing so, while no time was read here.
    private let former = Locked<InputTimes?>(nil)

    // Where the zone's last rule was found.
    let place = Atomic(0)
    let skipped = Atomic<UInt64>(0)
    let repeated = Atomic<UInt64>(0)

    package init(
        unit: TimeUnit?,
        zone: ZoneRules? = nil,
        format: TimeFormat? = nil,
        output: Output = .input,
        seen: Seen = Seen()
    ) {
        self.unit = unit
        self.zone = zone
        self.format = format
        self.output = output
        self.seen = seen
    }

    /// How plugins write times: as the input writes them, unless the options say otherwise.
    public var form: TimeForm { .input(self) }

    /// How many times were read that the zone's clocks do not show, because they are set forward.
    package var skippedCount: UInt64 { skipped.load(ordering: .relaxed) }

    /// How many times were read that the zone's clocks show twice, because they are set back.
    package var repeatedCount: UInt64 { repeated.load(ordering: .relaxed) }

    /// Whether it is known how the input writes times: by a format, or because one was read.
    var knowsForm: Bool { format != nil || seenForm.rawValue != 0 }

    /// Goes on with the form of times that another one of the same options has seen, or will see.
    package func goOn(after other: InputTimes) {
        guard self == other, seen !== other.seen else { return }
        former.withLock { $0 = other }
    }

    /// The form of the first time.
    private var seenForm: SeenForm {
        let form = seen.form.load(ordering: .relaxed)
        guard form == 0, let other = former.withLock({ $0 }) else { return SeenForm(rawValue: form) }
        let known = other.seenForm
        if known.rawValue != 0 {
            note(known)
            former.withLock { $0 = nil }
        }
        return known
    }

    /// How many nanoseconds a whole number counts, where that depends on nothing but the options and reading one leaves
    /// nothing to be noted.
    var scaleOfIntegers: Int64? { format == nil && knowsForm ? unit?.nanoseconds : nil }

    /// What numbers count, where the first one has shown it.
    package var unitSeen: TimeUnit? { seenForm.unit }

    /// Lines for people: what numbers count, where that was not said, and times that clocks do not show once.
    package var remarks: [String] {
        [
            unitRemark, repeatedCount == 0 ? nil : "\(repeatedCount) \(Self.repeatedWords)",
            skippedCount == 0 ? nil : "\(skippedCount) \(Self.skippedWords)",
        ]
        .compactMap { $0 }
    }

    /// What numbers count, where the first one has said that.
    package var unitRemark: String? {
        guard unit == nil, let unitSeen else { return nil }
        return "times count \(unitSeen.plural), as the first one shows; --time-unit \(unitSeen.rawValue) says so"
    }

    static let repeatedWords = "times that clocks show twice, when they are set back, were taken as the earlier one"
    static let skippedWords = "times that clocks do not show, when they are set forward, were read as if they were not"

    // MARK: Form

    /// Saves in which form the input writes times, or gives it back: a run that goes on may write times before it reads one.
    package func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var form = seenForm.rawValue
        try state.exchange(&form)
        if state.isRestoring { note(SeenForm(rawValue: form)) }
    }

    /// Notes the form of a time, of which the first one counts.
    @inline(__always)
    func note(_ form: SeenForm) {
        guard seen.form.load(ordering: .relaxed) == 0 else { return }
        _ = seen.form.compareExchange(expected: 0, desired: form.rawValue, ordering: .relaxed)
    }

    /// A time as it is to be written.
    enum Written {
        case number(TimeUnit)
        case rfc3339
        case text([UInt8])
    }

    /// How a time is written.
    func written(_ time: Timestamp) -> Written {
        let form = seenForm
        switch output {
        case .rfc3339: return .rfc3339
        case .number: return .number(unit ?? form.unit ?? .milliseconds)
        case .input: break
        }
        let period = zone?.period(at: time)
        var bytes: [UInt8] = []
        if let format {
            let offset = period?.offset ?? form.calendar?.offset ?? 0
            format.append(time, offset: offset, zone: period?.abbreviation ?? Array("UTC".utf8), to: &bytes)
            return .text(bytes)
        }
        if let unit = form.unit { return .number(unit) }
        guard let calendar = form.calendar else { return .rfc3339 }
        calendar.append(time, offset: period?.offset ?? calendar.offset, to: &bytes)
        return .text(bytes)
    }
}

extension InputTimes: Hashable {
    public static func == (left: InputTimes, right: InputTimes) -> Bool {
        left === right || left.unit == right.unit && left.zone == right.zone && left.format == right.format
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(unit)
        hasher.combine(zone?.name)
        hasher.combine(format)
    }
}
