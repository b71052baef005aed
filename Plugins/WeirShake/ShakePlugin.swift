internal import WeirCore
internal import WeirFlow
public import WeirRecords
internal import WeirSelection

/// Detects that a device is shaken: two readings of its accelerometer in a row that differ by more than a
/// threshold on one axis.
///
/// The rule finds jerks, so it also fires on jumps and on hard steps, and it depends on the rate of the readings: the
/// faster they come, the less two in a row differ.
///
/// Measured on public recordings: of 98 gestures at 50 Hz, a second or two each, those found are 5 of the 6 shakes (recall
/// 83 %) and none of the 46 that are still, circle, wave, clap, or are no gesture, but also 45 of the 46 that walk, jump,
/// poke, waggle or flick, all of which jerk (precision 10 % over all, 100 % where nobody walks or jerks). In twelve
/// recordings at 100 Hz of people who sit, stand up, turn and walk with a phone or a watch, two and a half minutes in all,
/// it finds 19, in five of them none.
public struct ShakePlugin: Plugin {
    public let name = "shake"
    public let summary = "Reports when readings of an accelerometer show that the device is shaken."

    /// The columns of a reading, in the order of the decoder's keys.
    private static let columns = ["time", "x", "y", "z"]

    public let options =
        [
            OptionDeclaration(
                "threshold",
                .number(unit: "g", minimum: 0),
                default: "1",
                help: "by how much two readings in a row must differ, in g"
            ),
            OptionDeclaration(
                "unit",
                .choice(AccelerationUnit.allCases.map(\.rawValue)),
                default: "g",
                help: "the unit of the readings"
            ),
            OptionDeclaration(
                "columns",
                .mapping(keys: Self.columns),
                default: "time=time,x=x,y=y,z=z",
                help: "the fields to read, such as x=acc_x,time=t_ms"
            ),
        ] + OptionDeclaration.times + [
            OptionDeclaration(
                "quiet-period",
                .duration,
                default: "500ms",
                help: "how long it must be quiet between two shakes; 0 reports every pair"
            ),
            OptionDeclaration(
                "by",
                .text(placeholder: "FIELD"),
                help: "tell readings apart by this field, such as a recording or a device"
            ),
            OptionDeclaration(
                "max-groups",
                .integer(1...10_000_000),
                default: "100000",
                help: "how many values of that field there can be at a time"
            ),
            OptionDeclaration(
                "forget-after",
                .duration,
                default: "1h",
                help: "when all are taken, forget one that has been idle for so long"
            ),
        ]

    public let examples = [
        (arguments: "shake --from demo", meaning: "try it on made-up readings"),
        (
            arguments: "shake --from file:readings.csv --columns time=t_ms --by recording_id",
            meaning: "each recording on its own"
        ),
        (
            arguments: "shake --format jsonl --unit m/s2 --columns x=acc_x,y=acc_y,z=acc_z < readings.jsonl",
            meaning: "phones count in m/s²"
        ),
    ]

    /// Creates the plugin.
    public init() {}

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        guard let unit = AccelerationUnit(rawValue: options.text("unit")) else {
            preconditionFailure("the choices of --unit are the units themselves")
        }
        let groupField = options.textIfGiven("by")
        // Not within a burst, so that a burst is one however long it lasts.
        let idle = max(options.duration("forget-after"), options.duration("quiet-period"), .nanoseconds(1))
        let groups = groupField.map { _ in
            SymbolTable(forgettingAfter: idle, limit: options.integer("max-groups"))
        }
        let times = try options.times(countingIn: output)
        let detection = ShakeDetection(
            threshold: options.number("threshold") * unit.perGravity,
            quietPeriod: options.duration("quiet-period"),
            form: Shake.Form(time: times.form, unit: unit),
            groups: groups
        )
        let schema = schema(columns: options.mapping("columns"), groupField: groupField, times)
        let readings = RecordSource(ReadingDecoder(groups: groups), schema: schema)
        let drawing = output.report.map { ShakeDrawing($0, unit: unit, groups: groups) }
        if let drawing { readings.attach(drawing.sink()) }
        if let groups {
            readings
                .grouped(by: { $0.group.index }, limit: groups.capacity) { detection.shakes(in: $0) }
                .tap { drawing?.mark($0) }
                .attach(output.sink())
            readings.subscribeWithTime { _, time in groups.advance(to: time) }
        } else {
            detection.shakes(in: readings).tap { drawing?.mark($0) }.attach(output.sink())
        }
        return readings.consumer(savesState: true)
    }

    private func schema(columns: [String: String], groupField: String?, _ times: InputTimes) -> RecordSchema {
        let fields =
            Self.columns.map { RecordSchema.Field(columns[$0] ?? $0) } + [
                RecordSchema.Field(groupField ?? "group", isRequired: groupField != nil)
            ]
        var schema = RecordSchema(fields: fields, times: times, timeField: ReadingDecoder.Key.time.rawValue)
        schema.isOrderedInGroups = true
        return schema
    }

    public func partitionField(_ options: OptionValues) -> String? { options.textIfGiven("by") }

    public func matchFields(_ options: OptionValues) -> [String] {
        ["time"] + (options.textIfGiven("by") == nil ? [] : ["group"]) + ["axis", "difference", "unit"]
            + Self.columns.map { "previous.\($0)" } + Self.columns.map { "current.\($0)" }
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        var graph = PluginGraph()
        var last = graph.add("readings", .source)
        if let field = options.textIfGiven("by") { last = graph.add("grouped by \(field)", .step, after: last) }
        last = graph.add("pairwise", .step, after: last)
        last = graph.add("filter: differs by more than \(options.number("threshold")) g on an axis", .step, after: last)
        if options.duration("quiet-period") > .zero {
            last = graph.add("once per burst, quiet for \(options.duration("quiet-period").text)", .step, after: last)
        }
        graph.add("shakes", .sink, after: last)
        return graph
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        ShakeDemo.source(seed: seed)
    }
}
