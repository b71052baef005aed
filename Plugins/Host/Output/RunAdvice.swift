internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// Explains why a run found less than it could have, and what to do about it.
struct RunAdvice {
    let request: RunRequest
    let tally: Tally
    let matches: UInt64
    let reasons: RejectionReasons

    /// How far the records were out of order, of those plugins that know of one order of all.
    let order: RecordOrder

    /// Whether a plugin takes records in any order.
    let takesAnyOrder: Bool

    /// The fields that options name and no record had.
    let unseen: [NamedField]

    /// All fields that options name.
    let named: [NamedField]

    /// What the plugins want of each record.
    let schema: RecordSchema

    /// The greatest time of a record; `nil` where there was none.
    let newest: Timestamp?

    /// The names of the input's fields; empty where they are not known.
    let available: [String]

    /// Whether the input is known to have objects, which matches show as they came.
    let hasObjects: Bool

    /// Lines for people; none where all is well.
    var remarks: [String] {
        reasons.remarks(tally, mend: mend) + [orderRemark, lateRemark, unitRemark].compactMap { $0 } + fieldRemarks
    }

    /// That matches lack fields of records that could not be looked at before they were read.
    var leftOut: String? {
        guard let queries = request.queries, !queries.explains, matches > 0, !queries.sample.unseen.isEmpty, !hasObjects
        else { return nil }
        let shown = Set(schema.fields.map(\.name))
        let missing = available.filter { !shown.contains($0) }
        guard let first = missing.first else { return nil }
        let list = missing.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
        return
            "matches lack \(list)\(missing.count > 20 ? ", ..." : ""), which the query does not name: where the first "
            + "records cannot be looked at before, fields have to be named, as in --types \(first)=text"
    }

    /// What helps where times do not say how far their clock is from UTC.
    static let zoneMend = "--time-zone says whose clock it is, such as --time-zone Europe/Amsterdam"

    /// What helps where no line was understood.
    static func formatMend(for reason: String, _ tally: Tally) -> String? {
        tally.events == 0 && !reason.hasPrefix("field '") ? "'weir guess' finds out how a file is written" : nil
    }

    // MARK: Rejections

    /// What may help against a reason; `nil` where nothing is known.
    private func mend(for reason: String) -> String? {
        guard reason.hasPrefix("field '") else { return Self.formatMend(for: reason, tally) }
        if reason.contains("' goes back") { return orderMend }
        if reason.contains("ahead of the") {
            return "--time-unit says what a bare number counts, --max-ahead how far ahead times may be"
        }
        let rest = reason.dropFirst("field '".count)
        // Each input may have a name of its own for the time of a query.
        let times = request.queries?.findsTimes ?? false ? QueryOptions.usualTimes : []
        var name = ""
        let found = named.first { field in
            let names = [field.name] + (field.index == schema.timeField ? times : [])
            name = names.first { rest.hasPrefix($0 + "' ") } ?? ""
            return !name.isEmpty
        }
        guard let field = found else { return nil }
        if field.index == schema.timeField, hasTimeUnit, reason.contains("' is out of range") {
            return "--time-unit says what a bare number counts"
        }
        if field.index == schema.timeField {
            if reason.contains("' has no time zone"), hasOption("time-zone") { return Self.zoneMend }
            if reason.contains("' is too small to tell") || reason.contains(", and the first time ") {
                return "--time-unit says what a bare number counts"
            }
            if reason.contains("' is neither"), hasOption("time-format"), available.contains(name) {
                return
                    "--time-format says how times are written, such as '%d.%m.%Y %H:%M:%S', and \(field.naming) which "
                    + "field to read"
            }
        }
        // A value that is merely out of its range is in the right field.
        let problem = rest.dropFirst(name.count + 2)
        guard problem.hasPrefix("is missing") || problem.hasPrefix("is neither") || problem.hasPrefix("is not ") else {
            return nil
        }
        return "\(field.naming) says which field to read" + nearest(to: name)
    }

    private func nearest(to name: String) -> String {
        guard !available.contains(name) else { return "" }
        let list = available.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
        return Suggestion.text(
            for: name,
            among: available,
            otherwise: available.isEmpty ? "" : "the input has \(list)" + (available.count > 20 ? ", ..." : "")
        )
    }

    // MARK: Order

    /// What puts records in order.
    private var orderMend: String {
        // Nobody waits that long for a record: one of the times is wrong.
        if order.lateCount > 0, order.greatestLateness > .seconds(30 * 86_400) {
            return "--max-ahead 1d rejects times that far ahead of the others"
                + (hasTimeUnit ? ", and --time-unit says what a bare number counts" : "")
        }
        let length = order.lateCount > 0 ? DurationText.roundedUp(order.greatestLateness) : "DURATION"
        let hasGroups = request.instances.contains { instance in
            guard instance.values.given["by"] == nil else { return false }
            return instance.plugin.options.contains { $0.name == "by" }
        }
        return (hasGroups ? "--by FIELD keeps apart what has times of its own, and " : "")
            + "--lateness \(length) puts records in the order of their times"
    }

    private var orderRemark: String? {
        guard takesAnyOrder, request.lateness == nil, order.lateCount > 0,
            !reasons.ranked.contains(where: { $0.reason.contains("' goes back") })
        else { return nil }
        return "\(Quantity.counted(order.lateCount, "record", "records")) came after a later one, by up to "
            + "\(order.greatestLateness.text); \(orderMend)"
    }

    private var lateRemark: String? {
        guard tally.late > RejectionReasons.shownCount, tally.late > tally.events / 10 else { return nil }
        return
            "\(Quantity.counted(tally.late, "record", "records")) came later than --lateness lets them; a longer one "
            + "puts more of them in order, and --max-ahead rejects times far ahead of the others, which make these late"
    }

    // MARK: Units

    /// Whether an option says what a time counts that is a bare number.
    private var hasTimeUnit: Bool { hasOption("time-unit") }

    private func hasOption(_ name: String) -> Bool {
        request.instances.contains { instance in instance.plugin.options.contains { $0.name == name } }
    }

    /// What times of this century look like that count another unit than they are read in.
    private var unitRemark: String? {
        if let remark = schema.times?.unitRemark { return remark }
        guard let newest, hasTimeUnit, !request.instances.contains(where: { $0.values.given["time-unit"] != nil })
        else {
            return nil
        }
        // From 2001 to 2040, in seconds.
        let seconds: ClosedRange<Int64> = 1_000_000_000...2_208_988_800
        let count = newest.nanosecondsSinceEpoch / schema.timeUnit.nanoseconds
        guard schema.timeUnit != .seconds, seconds.contains(count) else { return nil }
        return "the last time, \(newest), is long ago; where the times count seconds, --time-unit s says so"
    }

    // MARK: Fields

    /// The options that say what to find, which may be why nothing was.
    private var chosen: String {
        let names = request.instances.flatMap { instance in
            instance.plugin.options.map(\.name).filter {
                instance.values.given[$0] != nil
                    && !["columns", "by", "time-unit", "time-zone", "time-format", "time-form"].contains($0)
            }
        }
        return names.isEmpty ? "" : " with " + names.map { "--\($0)" }.joined(separator: ", ") + " as given"
    }

    private var fieldRemarks: [String] {
        guard tally.events > 0 else { return [] }
        var remarks = unseen.filter(\.isGiven).map { field in
            "no record has a value in '\(field.name)'; \(field.naming) names another field" + nearest(to: field.name)
        }
        let others = unseen.filter { !$0.isGiven }
        if matches == 0, let first = others.first {
            remarks.append(
                "nothing was found\(chosen), and no record has a value in "
                    + others.map { "'\($0.name)'" }.joined(separator: ", ")
                    + "; \(first.naming) names another field" + nearest(to: first.name)
            )
        }
        return remarks
    }
}

extension RunRequest {
    /// Whether an input has objects of JSON.
    func hasObjects(in sample: [UInt8]?) -> Bool {
        guard let sample, inputs.count == 1 else { return false }
        return inputs[0].format(shownBy: sample).hasObjects
    }

    /// The names of the fields of an input.
    ///
    /// - Returns: The names; empty where they cannot be found out.
    func fieldNames(in sample: [UInt8]?) -> [String] {
        guard let sample, inputs.count == 1 else { return [] }
        let format = inputs[0].format(shownBy: sample)
        func names(_ bytes: [UInt8]) -> [String] {
            (try? FieldSurvey(ByteSource(bytes), format: format, limits: limits))?.names ?? []
        }
        let outer = names(sample)
        guard format.hasObjects else { return outer }
        // Those of objects one level deeper, as `user.name`.
        var inner: [String] = []
        var reader = RecordReader(
            ByteSource(sample),
            format: format,
            schema: RecordSchema(fields: outer.map { RecordSchema.Field($0) }),
            limits: limits
        )
        _ = try? reader.next { batch in
            guard batch.count > 0 else { return }
            for (field, name) in outer.enumerated() {
                var bytes: [UInt8] = []
                guard batch.appendText(ofField: field, recordAt: 0, to: &bytes) == .nested else { continue }
                inner += names(bytes).map { "\(name).\($0)" }
            }
        }
        return outer + inner
    }

    /// What is wrong with a header of one field whose name holds what often separates fields.
    static func separatorRemark(_ names: [String]) -> String? {
        guard names.count == 1, let name = names.first else { return nil }
        let separators = [
            ("\t", "tabs", "'\\t'"), (";", "semicolons", "';'"), ("|", "bars", "'|'"), (",", "commas", "','"),
        ]
        guard let (_, word, quoted) = separators.first(where: { name.contains($0.0) }) else { return nil }
        return "the header is one field that holds \(word); --delimiter \(quoted) says that they separate fields"
    }
}
