internal import WeirCore
internal import WeirFlow
public import WeirRecords
internal import WeirSelection

/// Detects that a person walks, from two kinds of updates: what a pedometer counts, and how fast a location receiver
/// says they move.
///
/// *Walking* is: the step count keeps rising, and within an interval of a rise a location reports a speed strictly
/// between two limits. Either alone is not enough: who shakes the device makes steps without getting anywhere, who is
/// driven through a jam moves at the speed of a walk without a step.
///
/// Where positions come without a speed, it is estimated from them; where a cadence comes without a step count, the steps
/// are derived from it. Locations that are not accurate enough are discarded and counted.
///
/// Measured on public recordings: of the walk of a running watch 79 of 85 updates are walking (with an interval of 15 s,
/// because the updates are up to 13 s apart), of a run none of 2,782. From positions alone, without steps, 60 and 87 % of
/// the updates of two days that a traveller's diary calls walking are, and 3 % of one that was a run; so are 11 % of the
/// tram, 12 % of the metro, 5 % of the bus and 25 % of the bicycle, which are slow at stops: positions cannot tell, steps
/// can.
public struct WalkPlugin: Plugin {
    public let name = "walk"
    public let summary = "Reports when a person starts and stops walking, from step counts and locations."

    public let options =
        [
            OptionDeclaration(
                "slowest",
                .number(unit: "m/s", minimum: 0),
                default: "0.2",
                help: "walking is faster than this"
            ),
            OptionDeclaration(
                "fastest",
                .number(unit: "m/s", minimum: 0),
                default: "1.8",
                help: "walking is slower than this"
            ),
            OptionDeclaration(
                "interval",
                .duration,
                default: "5s",
                help: "how far apart a rise of the steps and a location may be"
            ),
            OptionDeclaration(
                "steps",
                .choice(["required", "ignored"]),
                default: "required",
                help: "whether the steps must rise; without them the speed alone decides"
            ),
            OptionDeclaration(
                "accuracy",
                .number(unit: "m", minimum: 0),
                default: "20",
                help: "discard locations that are not better than this"
            ),
            OptionDeclaration(
                "speed-window",
                .duration,
                default: "60s",
                help: "where the input has no speed: compare positions over this long"
            ),
            OptionDeclaration(
                "cadence",
                .choice(MovementDecoder.Cadence.allCases.map(\.rawValue)),
                default: "strides",
                help: "what a cadence counts a minute: strides of one foot, or steps"
            ),
            OptionDeclaration(
                "emit",
                .choice(["changes", "all"]),
                default: "changes",
                help: "only changes, or every update that can be judged"
            ),
            OptionDeclaration(
                "columns",
                .mapping(keys: ["time", "steps", "cadence", "speed", "latitude", "longitude", "accuracy"]),
                default: "time=time,steps=steps,cadence=cadence,speed=speed,"
                    + "latitude=latitude,longitude=longitude,accuracy=accuracy",
                help: "the fields to read, such as speed=Speed,time=t"
            ),
        ] + OptionDeclaration.times + [
            OptionDeclaration("by", .text(placeholder: "FIELD"), help: "tell people apart by this field"),
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
        (arguments: "walk --from demo", meaning: "try it on made-up movements"),
        (
            arguments: "walk run.csv --columns time=Time,speed=Speed,cadence=RunCadence",
            meaning: "a recording of a running watch"
        ),
        (
            arguments: "walk track.csv --columns time=timestamp --steps ignored",
            meaning: "positions alone: judge by the speed that they make"
        ),
    ]

    /// Creates the plugin.
    public init() {}

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let rule = try Self.rule(options)
        guard let cadence = MovementDecoder.Cadence(rawValue: options.text("cadence")) else {
            preconditionFailure("the choices of --cadence are the cases themselves")
        }
        let times = try options.times(countingIn: output)
        let groupField = options.textIfGiven("by")
        let idle = max(options.duration("forget-after"), rule.interval, rule.speedWindow)
        let groups = groupField.map { _ in
            SymbolTable(forgettingAfter: idle, limit: options.integer("max-groups"))
        }
        let emitsAll = options.text("emit") == "all"

        let decoder = MovementDecoder(
            groups: groups,
            worstAccuracy: options.number("accuracy"),
            cadence: cadence,
            longestGap: rule.speedWindow,
            inaccurate: output.makeCount(of: "locations discarded because they were not accurate enough")
        )
        let schema = Self.schema(columns: options.mapping("columns"), groupField: groupField, times)
        let movements = RecordSource(decoder, schema: schema)
        let drawing = output.report.map { WalkDrawing($0, groups: groups) }
        if let drawing { movements.attach(drawing.sink()) }
        movements
            .grouped(by: { $0.group.index }, limit: groups?.capacity ?? 1) { $0.gaits(rule, drawing) }
            .filter { emitsAll || $0.isChange }
            .map { GaitReport(gait: $0, group: groups?.name(of: $0.group), timeForm: times.form) }
            .attach(output.sink())
        if let groups { movements.subscribeWithTime { _, time in groups.advance(to: time) } }
        return movements.consumer(savesState: true)
    }

    private static func rule(_ options: OptionValues) throws(PluginError) -> WalkRule {
        let (slowest, fastest) = (options.number("slowest"), options.number("fastest"))
        guard slowest < fastest else {
            throw .invalidOption(name: "fastest", reason: "\(fastest) m/s is not above --slowest, \(slowest) m/s")
        }
        let window = options.duration("speed-window")
        guard window > .zero else { throw .invalidOption(name: "speed-window", reason: "must be longer than 0") }
        return WalkRule(
            slowest: slowest,
            fastest: fastest,
            interval: options.duration("interval"),
            speedWindow: window,
            needsSteps: options.text("steps") == "required"
        )
    }

    private static func schema(columns: [String: String], groupField: String?, _ times: InputTimes) -> RecordSchema {
        let fields = MovementDecoder.Key.allCases.map { key in
            key == .group
                ? RecordSchema.Field(groupField ?? "group", isRequired: groupField != nil)
                : RecordSchema.Field(columns[key.fieldName] ?? key.fieldName, isRequired: key == .time)
        }
        var schema = RecordSchema(fields: fields, times: times, timeField: MovementDecoder.Key.time.rawValue)
        schema.isOrderedInGroups = true
        return schema
    }

    public func partitionField(_ options: OptionValues) -> String? { options.textIfGiven("by") }

    public func matchFields(_ options: OptionValues) -> [String] {
        ["time"] + (options.textIfGiven("by") == nil ? [] : ["group"])
            + ["walking", "reason", "steps", "speed", "interval"]
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        var graph = PluginGraph()
        var last = graph.add("movements", .source)
        last = graph.add("drop locations not better than \(options.number("accuracy")) m", .step, after: last)
        if let field = options.textIfGiven("by") { last = graph.add("grouped by \(field)", .step, after: last) }
        let speed = graph.add(
            "speed between \(options.number("slowest")) and \(options.number("fastest")) m/s",
            .step,
            after: last
        )
        if options.text("steps") == "required" {
            let steps = graph.add("steps rise", .step, after: last)
            last = graph.add("both within \(options.duration("interval").text)", .step, after: steps, speed)
        } else {
            last = speed
        }
        if options.text("emit") == "changes" { last = graph.add("filter: changes", .step, after: last) }
        graph.add("walking or not", .sink, after: last)
        return graph
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        WalkDemo.source(seed: seed)
    }
}
