internal import WeirCore
internal import WeirQueries
internal import WeirRecords
internal import WeirSystem

/// A plugin with its name on all of its work: a crash, and an end by force, say that it was at fault, whatever was called.
struct LabelledPlugin: Plugin {
    private let plugin: any Plugin

    /// The field with the time, where it was made of queries: `--time` says which, and is no option of the plugin.
    var timeFieldOfQueries: String? { (plugin as? QueryPlugin)?.schema.timeField }

    private let work: CrashReport.Work

    init(_ plugin: some Plugin) {
        self.plugin = plugin
        work = CrashReport.Work("plugin '\(plugin.name)'")
    }

    var name: String { plugin.name }
    var summary: String { plugin.summary }
    var options: [OptionDeclaration] { plugin.options }
    var examples: [(arguments: String, meaning: String)] { plugin.examples }

    func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let run = try work.perform { () throws(PluginError) in
            Run(try plugin.start(options, output: output), work)
        }
        return run.labelled
    }

    func partitionField(_ options: OptionValues) -> String? { work.perform { plugin.partitionField(options) } }
    func matchFields(_ options: OptionValues) -> [String] { work.perform { plugin.matchFields(options) } }
    func graph(_ options: OptionValues) -> PluginGraph { work.perform { plugin.graph(options) } }
    func makeDemo(seed: UInt64) -> any TransportSource { work.perform { plugin.makeDemo(seed: seed) } }

    /// A consumer that was started; letting go of it is the plugin's work too.
    private final class Run {
        private var consumer: RecordConsumer?
        private let work: CrashReport.Work

        init(_ consumer: RecordConsumer, _ work: CrashReport.Work) {
            self.consumer = consumer
            self.work = work
        }

        deinit { work.perform { consumer = nil } }

        /// What the host feeds; the only owner of the run.
        var labelled: RecordConsumer {
            var labelled = RecordConsumer(
                schema: consumer?.schema ?? RecordSchema(fields: []),
                receive: { [self] batch in work.perform { consumer?.receive(&batch) } },
                receiveEach: { [self] batch, done in work.perform { consumer?.receiveEach(&batch, done: done) } },
                finish: { [self] completion in work.perform { consumer?.finish(completion) } },
                order: consumer?.order == nil ? nil : { [self] in consumer?.order?() ?? RecordOrder() }
            )
            if consumer?.advance != nil {
                labelled.advance = { [self] time in work.perform { consumer?.advance?(time) } }
            }
            if let handover = consumer?.handover {
                labelled.handover = ConsumerHandover(
                    known: { [self] in work.perform { handover.known() } },
                    goOn: { [self] known in work.perform { handover.goOn(known) } }
                )
            }
            if let state = consumer?.state {
                labelled.state = ConsumerState(
                    fingerprint: state.fingerprint,
                    canBeSavedInCopy: state.canBeSavedInCopy,
                    save: { [self] in try work.perform { try state.save() } },
                    restore: { [self] bytes, drops in try work.perform { try state.restore(bytes, drops) } }
                )
            }
            return labelled
        }
    }
}
