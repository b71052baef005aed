internal import WeirCore
internal import WeirRecords

/// The plugins of a pipeline, started, fed by one thread.
final class RunningPlugins {
    /// A plugin that sees only some of the fields.
    private final class View {
        var batch: RecordBatch
        let fields: [Int]

        init(_ schema: RecordSchema, fields: [Int], capacity: Int) {
            batch = RecordBatch(schema: schema, capacity: capacity)
            self.fields = fields
        }
    }

    /// How many records a batch can have.
    static let batchCapacity = 512

    /// The fields that any of the plugins wants.
    let schema: RecordSchema

    /// Whether all plugins, or none, refuse records that go back in time.
    let agreeOnOrder: Bool

    /// What tells the plugins apart.
    let names: [String]

    let consumers: [RecordConsumer]
    let outputs: [MatchOutput]

    /// Whether each plugin keeps records apart by a field.
    private let areGrouped: [Bool]

    /// The order of the records, for plugins that do not count it themselves.
    private var ownOrder: RecordOrder?

    /// Empty where the only plugin takes the batches as they come.
    private var views: [View] = []

    /// What several plugins found, in the order of the records.
    private var merged: [UInt8] = []

    private var wasFinished = false

    /// What the plugins had counted when they were given back what others knew.
    private var givenBack: [UInt64] = []

    /// Starts plugins.
    ///
    /// - Parameters:
    ///   - instances: The plugins; at least one.
    ///   - form: In which form their matches are taken.
    ///   - report: The report that the run shows afterwards, if requested.
    ///   - batchCapacity: How many records a batch can have.
    /// - Throws: ``HostError`` when one does not start.
    init(
        _ instances: [RunRequest.Instance],
        form: MatchForm = .lines,
        report: Report? = nil,
        batchCapacity: Int = RunningPlugins.batchCapacity
    ) throws(HostError) {
        var consumers: [RecordConsumer] = []
        var outputs: [MatchOutput] = []
        for instance in instances {
            let output = MatchOutput(report: report, form: form, plugin: instances.count > 1 ? instance.name : nil)
            do throws(PluginError) {
                consumers.append(try instance.plugin.start(instance.values, output: output))
            } catch {
                throw .usage(instances.count == 1 ? "\(error)" : "\(error), in '\(instance.name)'")
            }
            outputs.append(output)
        }
        names = instances.map(\.name)
        self.consumers = consumers
        self.outputs = outputs
        areGrouped = instances.map { $0.plugin.partitionField($0.values) != nil }
        let schemas = consumers.map(\.schema)
        schema = schemas.count == 1 ? schemas[0] : Self.union(of: schemas)
        agreeOnOrder = Set(schemas.map(\.isOrdered)).count == 1
        let needsOrder = consumers.contains { consumer in
            consumer.order == nil && !consumer.schema.isOrdered && !consumer.schema.isOrderedInGroups
        }
        if needsOrder, schema.timeField != nil { ownOrder = RecordOrder() }
        guard consumers.count > 1 else { return }
        for consumer in consumers {
            let fields = consumer.schema.fields.map { field in
                // The union has the fields of all.
                schema.fields.firstIndex { $0.name == field.name } ?? 0
            }
            views.append(View(consumer.schema, fields: fields, capacity: batchCapacity))
        }
    }

    /// Goes on with what other plugins of the same names know, as far as these let it go.
    func goOn(with others: RunningPlugins) {
        if let times = others.schema.times { schema.times?.goOn(after: times) }
        for (name, consumer) in zip(names, consumers) {
            guard let other = others.names.firstIndex(of: name) else { continue }
            if let times = others.consumers[other].schema.times { consumer.schema.times?.goOn(after: times) }
            guard let known = others.consumers[other].handover?.known() else { continue }
            consumer.handover?.goOn(known)
        }
    }

    private static func union(of schemas: [RecordSchema]) -> RecordSchema {
        var fields: [RecordSchema.Field] = []
        for field in schemas.flatMap(\.fields) {
            guard let index = fields.firstIndex(where: { $0.name == field.name }) else {
                fields.append(field)
                continue
            }
            fields[index].isRequired = fields[index].isRequired || field.isRequired
        }
        // Inputs are merged by one time: plugins that disagree about it cannot share them.
        let times = Set(schemas.map { schema in schema.timeField.map { schema.fields[$0].name } })
        let units = Set(schemas.map(\.timeUnit))
        let readings = Set(schemas.map(\.times))
        let time = times.count == 1 && units.count == 1 && readings.count == 1 ? times.first ?? nil : nil
        return RecordSchema(
            fields: fields,
            times: schemas[0].times ?? InputTimes(unit: schemas[0].timeUnit),
            timeField: time.flatMap { name in fields.firstIndex { $0.name == name } },
            isOrdered: time != nil && schemas.allSatisfy(\.isOrdered)
        )
    }

    /// Feeds a batch to the plugins.
    ///
    /// What several find is in the order of the records, and so the same however the records come in batches.
    ///
    /// - Parameters:
    ///   - batch: Records of ``schema``, not more than fit.
    ///   - refused: Called with the lines that plugins refused, which join the batch's rejections only where there is
    ///     one plugin.
    func receive(_ batch: inout RecordBatch, refused: ([RejectedInput]) -> Void) {
        guard !views.isEmpty else {
            noteOrder(of: batch)
            consumers[0].receive(&batch)
            return
        }
        let (matches, rejections) = PluginResult.merged(receiveEach(&batch))
        merged += matches
        if !rejections.isEmpty { refused(rejections) }
    }

    /// Whether time that goes on without records brings something.
    var canAdvance: Bool { consumers.contains { $0.advance != nil } }

    /// Declares to the plugins that no record before a time follows.
    func advance(to time: Timestamp) {
        for consumer in consumers { consumer.advance?(time) }
    }

    /// What the plugins say at the end.
    var remarks: [String] { outputs.flatMap(\.remarks) }

    /// Feeds a batch to the plugins, record by record.
    ///
    /// - Parameter batch: Records of ``schema``, not more than fit.
    /// - Returns: What each plugin found.
    func receiveEach(_ batch: inout RecordBatch) -> [PluginResult] {
        noteOrder(of: batch)
        guard !views.isEmpty else { return [result(of: 0, in: &batch)] }
        var all: [PluginResult] = []
        for (index, view) in views.enumerated() {
            view.batch.show(batch, fields: view.fields)
            all.append(result(of: index, in: &view.batch))
        }
        return all
    }

    private func result(of plugin: Int, in batch: inout RecordBatch) -> PluginResult {
        var result = PluginResult()
        let output = outputs[plugin]
        var matchCount = output.count
        var rejectionCount = batch.rejections.count
        consumers[plugin].receiveEach(&batch) { batch, index in
            if batch.rejections.count > rejectionCount {
                for line in RejectedInput.all(of: batch, from: rejectionCount) {
                    result.rejections.append((Int32(index), line))
                }
                rejectionCount = batch.rejections.count
            }
            guard output.count > matchCount else { return }
            matchCount = output.count
            output.takeMatches { result.matches += $0 }
            result.marks.append((Int32(index), result.matches.count))
        }
        return result
    }

    private func noteOrder(of batch: borrowing RecordBatch) {
        guard var order = ownOrder, let field = schema.timeField else { return }
        for index in 0..<batch.count {
            if let time = batch.time(ofField: field, inRecordAt: index) { order.note(time) }
        }
        ownOrder = order
    }

    /// How far the records were out of order, of those plugins that know of one order of all records.
    var order: RecordOrder {
        var greatest = ownOrder ?? RecordOrder()
        for (consumer, isGrouped) in zip(consumers, areGrouped) where !(isGrouped && consumer.schema.isOrderedInGroups)
        {
            guard let order = consumer.order?(), order.lateCount > greatest.lateCount else { continue }
            greatest = order
        }
        return greatest
    }

    /// Whether a plugin takes records in any order.
    var takesAnyOrder: Bool { consumers.contains { !$0.schema.isOrdered && !$0.schema.isOrderedInGroups } }

    /// Finishes the plugins, if that was not done before.
    func finish(_ completion: Completion) {
        guard !wasFinished else { return }
        wasFinished = true
        for consumer in consumers { consumer.finish(completion) }
    }

    /// Whether nothing more can come.
    var isFinished: Bool { outputs.allSatisfy(\.isFinished) }

    /// How many matches there were.
    var matchCount: UInt64 { outputs.reduce(0) { $0 + $1.count } }

    /// What the plugins counted.
    var namedCounts: [NamedCount] { outputs.flatMap(\.counts) }

    /// What the plugins counted, without what they were given back.
    var counts: [(name: String, value: UInt64)] {
        namedCounts.enumerated().map { index, count in
            let before = index < givenBack.count ? givenBack[index] : 0
            return (count.name, count.value < before ? 0 : count.value - before)
        }
    }

    /// Has what the plugins say now be what they were given back, which was counted by the runs before.
    func noteCountsGivenBack() { givenBack = namedCounts.map(\.value) }

    /// Finds out, on any thread, how many partial matches the plugins hold; `nil` where none of them says.
    var partialMatches: @Sendable () -> Int? {
        { [outputs] in
            let known = outputs.compactMap(\.partialMatches)
            return known.isEmpty ? nil : known.reduce(0, +)
        }
    }

    /// Returns the matches written since the last call.
    ///
    /// - Parameter body: Called with them in the form that was asked for; not called when there are none.
    /// - Throws: What `body` throws.
    func takeMatches<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        guard outputs.count > 1 else { return try outputs[0].takeMatches(body) }
        for output in outputs { output.takeMatches { merged += $0 } }
        guard !merged.isEmpty else { return }
        defer { merged.removeAll(keepingCapacity: true) }
        try body(merged)
    }
}
