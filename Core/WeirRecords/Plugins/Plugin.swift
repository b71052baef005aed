public import WeirCore

/// A use case that the host can run: reads records, finds situations, writes complex events.
///
/// To write one, declare the options, and build a pipeline from a ``RecordSource`` to the output:
///
///     struct HotPlugin: Plugin {
///         let name = "hot"
///         let summary = "Reports readings above a limit."
///         let options = [
///             OptionDeclaration("limit", .number(unit: "°C"), default: "30", help: "what is hot")
///         ]
///         let examples: [(arguments: String, meaning: String)] = [("hot --from demo", "shows hot readings.")]
///
///         func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
///             let limit = options.number("limit")
///             let readings = RecordSource(decoding: Reading.self)
///             readings.filter { $0.celsius > limit }.attach(output.sink())
///             return readings.consumer()
///         }
///
///         func makeDemo(seed: UInt64) -> any TransportSource {
///             ByteSource(Array("time,celsius\n0,29\n1,31\n".utf8))
///         }
///     }
public protocol Plugin: Sendable {
    /// The name that `weir run` takes: lower case, without spaces.
    var name: String { get }

    /// One line for people.
    var summary: String { get }

    /// The options, in the order of the help.
    var options: [OptionDeclaration] { get }

    /// Lines that show how the plugin is used, for its help: the arguments after `weir run`, and what they do.
    var examples: [(arguments: String, meaning: String)] { get }

    /// Builds the pipeline.
    ///
    /// - Parameters:
    ///   - options: A value for each declared option.
    ///   - output: Where complex events go.
    /// - Returns: What the host feeds with records.
    /// - Throws: ``PluginError`` when the options contradict each other.
    func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer

    /// The field whose values the plugin keeps apart completely: what it finds for one depends on the records of no
    /// other. `nil` where there is none with these options, which is the default.
    ///
    /// A host may then have several instances of the plugin share the values of the field. What limits how many values
    /// there may be, limits them for each instance.
    ///
    /// - Parameter options: A value for each declared option.
    /// - Returns: The name of the field in the input.
    func partitionField(_ options: OptionValues) -> String?

    /// The names of all fields that a match may have, in the order in which they are written; none where that is not
    /// known, which is the default.
    ///
    /// A host that writes matches as a table makes its columns of them: a first match may lack fields that later ones
    /// have. The field of an object in an object is named with a dot, `previous.x`; a list is one field.
    ///
    /// - Parameter options: A value for each declared option.
    /// - Returns: The names.
    func matchFields(_ options: OptionValues) -> [String]

    /// The operators that the pipeline is made of; by default only what goes in and out.
    ///
    /// - Parameter options: A value for each declared option.
    /// - Returns: The graph.
    func graph(_ options: OptionValues) -> PluginGraph

    /// Makes an input to try the plugin with, which shows what it finds.
    ///
    /// - Parameter seed: The same seed gives the same bytes.
    /// - Returns: CSV with a header.
    func makeDemo(seed: UInt64) -> any TransportSource
}

extension Plugin {
    /// Records, the plugin, and matches.
    public func graph(_ options: OptionValues) -> PluginGraph { PluginGraph(ofPlugin: name) }

    /// None that are known.
    public func matchFields(_ options: OptionValues) -> [String] { [] }

    /// None.
    public func partitionField(_ options: OptionValues) -> String? { nil }
}

/// Why a plugin cannot start.
public enum PluginError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An option's value cannot be used; the reason says what would be.
    case invalidOption(name: String, reason: String)

    /// Something else is in the way.
    case cannotStart(reason: String)

    public var description: String {
        switch self {
        case .invalidOption(let name, let reason): "--\(name): \(reason)"
        case .cannotStart(let reason): reason
        }
    }
}

/// What the host feeds with records.
public struct RecordConsumer {
    /// What is wanted of each record.
    public let schema: RecordSchema

    /// Takes the records of a batch, and refuses those that do not fit.
    public let receive: (_ batch: inout RecordBatch) -> Void

    /// Called once at the end of the input.
    public let finish: (_ completion: Completion) -> Void

    /// How far the records were out of the order of their times, those that were refused for it included; `nil` where the
    /// consumer does not keep count, so that a host has to.
    public let order: (() -> RecordOrder)?

    private let each: ((_ batch: inout RecordBatch, _ done: (borrowing RecordBatch, Int) -> Void) -> Void)?

    /// Declares that no record before a time follows, while there is none; `nil` where that would bring nothing.
    package var advance: ((_ time: Timestamp) -> Void)?

    /// How another consumer goes on with what this one knows; `nil` where none can.
    package var handover: ConsumerHandover?

    /// How what this one knows outlives the program; `nil` where it cannot be saved.
    package var state: ConsumerState?

    /// Creates a consumer.
    ///
    /// - Parameters:
    ///   - schema: What is wanted of each record.
    ///   - receive: Takes the records of a batch, and refuses those that do not fit.
    ///   - receiveEach: The same, but calls a function after each record, with the batch and the record's index, when all
    ///     that the record brings was written or refused; without it, `receive` gets batches of one record for that.
    ///   - finish: Called once at the end of the input.
    ///   - order: Says how far the records were out of order so far; called by the thread that calls `receive`.
    public init(
        schema: RecordSchema,
        receive: @escaping (inout RecordBatch) -> Void,
        receiveEach: ((inout RecordBatch, (borrowing RecordBatch, Int) -> Void) -> Void)? = nil,
        finish: @escaping (Completion) -> Void,
        order: (() -> RecordOrder)? = nil
    ) {
        self.schema = schema
        self.receive = receive
        self.each = receiveEach
        self.finish = finish
        self.order = order
        advance = nil
        handover = nil
        state = nil
    }

    /// Takes the records of a batch one after the other, so that a host can tell which of them brings what.
    package func receiveEach(_ batch: inout RecordBatch, done: (borrowing RecordBatch, Int) -> Void) {
        if let each { return each(&batch, done) }
        var single = RecordBatch(schema: schema, capacity: 1)
        let fields = Array(schema.fields.indices)
        for index in 0..<batch.count {
            single.show(batch, records: index..<index + 1, fields: fields)
            receive(&single)
            for refused in single.rejections {
                batch.reject(line: refused.line, reason: refused.reason, start: refused.start, length: refused.length)
            }
            done(batch, index)
        }
    }
}
