internal import CWeirPlugin
internal import Synchronization
internal import WeirCore
internal import WeirRecords

/// The plugin's side of the boundary: the functions of the table.
///
/// They take pointers from the host, which promises what the header says: valid during the call, instances used by one
/// thread at a time.
enum ExportedPlugin {
    /// A run of the plugin.
    final class Instance {
        let consumer: RecordConsumer
        let output: MatchOutput
        var batch: RecordBatch
        /// How many complex events the host has.
        var sentCount: UInt64 = 0

        init(_ consumer: RecordConsumer, _ output: MatchOutput, capacity: Int) {
            self.consumer = consumer
            self.output = output
            batch = RecordBatch(schema: consumer.schema, capacity: capacity)
        }
    }

    private static let plugin = Mutex<(any Plugin)?>(nil)

    static func set(_ plugin: some Plugin) {
        self.plugin.withLock { current in
            precondition(current == nil, "a library has one plugin; '\(current?.name ?? "")' is offered already")
            current = plugin
        }
    }

    @unsafe
    static func start(
        _ settings: UnsafePointer<weir_setting>?,
        _ count: Int,
        _ host: UnsafePointer<weir_host>?
    ) -> UnsafeMutableRawPointer? {
        guard let host = unsafe host?.pointee, let plugin = plugin.withLock({ $0 }) else { return nil }
        let given = unsafe weir_setting.given(settings, count)
        do throws(PluginError) {
            let output = MatchOutput()
            let consumer = try plugin.start(OptionValues(plugin.options, given: given), output: output)
            unsafe tell(consumer.schema, host)
            // Made anew with the first batch, as large as it is.
            let instance = Instance(consumer, output, capacity: 1)
            return unsafe Unmanaged.passRetained(instance).toOpaque()
        } catch {
            let (option, reason) =
                switch error {
                case .invalidOption(let name, let reason): (name, reason)
                case .cannotStart(let reason): ("", reason)
                }
            unsafe weir_text.lending(option) { option in
                unsafe weir_text.lending(reason) { reason in unsafe host.fail?(host.context, option, reason) }
            }
            return nil
        }
    }

    @unsafe
    private static func tell(_ schema: RecordSchema, _ host: weir_host) {
        // Freed after the call: the host copies what it gets.
        let names = schema.fields.map { Array($0.name.utf8) }
        let fields = UnsafeMutableBufferPointer<weir_field>.allocate(capacity: names.count)
        defer { unsafe fields.deallocate() }
        let time: UInt32 = schema.isOrdered ? 2 : schema.isOrderedInGroups ? 3 : 1
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: names.reduce(1) { $0 + $1.count })
        defer { unsafe bytes.deallocate() }
        var place = 0
        for (index, name) in names.enumerated() {
            unsafe fields.initializeElement(
                at: index,
                to: weir_field(
                    name: weir_text(
                        bytes: UnsafePointer(bytes.baseAddress.map { unsafe $0 + place }),
                        length: name.count
                    ),
                    is_required: schema.fields[index].isRequired ? 1 : 0,
                    is_time: schema.timeField == index ? time : 0
                )
            )
            for byte in name {
                unsafe bytes.initializeElement(at: place, to: byte)
                place += 1
            }
        }
        unsafe host.take_schema?(host.context, fields.baseAddress, names.count, schema.timeUnit.nanoseconds)
    }

    @unsafe
    static func receive(
        _ instance: UnsafeMutableRawPointer?,
        _ batch: UnsafePointer<weir_batch>?,
        _ host: UnsafePointer<weir_host>?
    ) -> UInt32 {
        guard let instance = unsafe instance, let batch = unsafe batch?.pointee, let host = unsafe host?.pointee else {
            return 0
        }
        let run = unsafe Unmanaged<Instance>.fromOpaque(instance).takeUnretainedValue()
        if unsafe batch.count > run.batch.capacity {
            run.batch = unsafe RecordBatch(schema: run.consumer.schema, capacity: batch.count)
        }
        unsafe read(batch, into: &run.batch)
        run.consumer.receive(&run.batch)
        for rejection in run.batch.rejections {
            unsafe weir_text.lending(rejection.reason) { reason in
                unsafe host.reject?(
                    host.context,
                    rejection.line,
                    UInt32(truncatingIfNeeded: rejection.start),
                    UInt32(truncatingIfNeeded: rejection.length),
                    reason
                )
            }
        }
        unsafe tell(run, host)
        return run.output.isFinished ? 0 : 1
    }

    /// Takes over where the records are; their bytes stay where they are.
    @unsafe
    private static func read(_ source: weir_batch, into batch: inout RecordBatch) {
        let fieldCount = unsafe min(source.field_count, batch.schema.fields.count)
        unsafe batch.begin(in: UnsafeRawBufferPointer(start: source.bytes, count: source.byte_count))
        for record in unsafe 0..<source.count {
            let row = unsafe source.rows[record]
            batch.beginRecord(line: row.line)
            for field in 0..<fieldCount {
                let slot = unsafe source.slots[record * source.field_count + field]
                // The scale of a decimal stands above the encoding.
                let encoding = FieldEncoding(rawValue: UInt8(truncatingIfNeeded: slot.encoding)) ?? .absent
                batch.setField(
                    field,
                    start: Int(slot.start),
                    length: Int(slot.length),
                    encoding: encoding,
                    scale: UInt8(truncatingIfNeeded: slot.encoding >> 8)
                )
            }
            batch.endRecord(start: Int(row.start), length: Int(row.length))
        }
    }

    /// Passes the complex events and the counts to the host.
    @unsafe
    static func tell(_ run: Instance, _ host: weir_host) {
        run.output.take { lines in
            let count = run.output.count
            unsafe lines.withUnsafeBufferPointer { bytes in
                let text = unsafe weir_text(bytes: bytes.baseAddress, length: bytes.count)
                unsafe host.take_lines?(host.context, text, count - run.sentCount)
            }
            run.sentCount = count
        }
        for (index, count) in run.output.counts.enumerated() {
            unsafe weir_text.lending(count.name) { name in
                unsafe host.take_count?(host.context, index, name, count.value)
            }
        }
    }

    @unsafe
    static func finish(
        _ instance: UnsafeMutableRawPointer?,
        _ failure: weir_text,
        _ host: UnsafePointer<weir_host>?
    ) {
        guard let instance = unsafe instance, let host = unsafe host?.pointee else { return }
        let run = unsafe Unmanaged<Instance>.fromOpaque(instance).takeUnretainedValue()
        let reason = unsafe failure.string
        run.consumer.finish(reason.isEmpty ? .finished : .failed(HostFailure(description: reason)))
        unsafe tell(run, host)
    }

    @unsafe
    static func release(_ instance: UnsafeMutableRawPointer?) {
        guard let instance = unsafe instance else { return }
        unsafe Unmanaged<Instance>.fromOpaque(instance).release()
    }

    @unsafe
    static func demo(_ seed: UInt64, _ host: UnsafePointer<weir_host>?) {
        guard let host = unsafe host?.pointee, let plugin = plugin.withLock({ $0 }) else { return }
        let source = plugin.makeDemo(seed: seed)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while let count = unsafe try? source.read(into: buffer), count > 0 {
            let bytes = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe host.take_bytes?(host.context, weir_text(bytes: bytes, length: count))
        }
    }

    @unsafe
    static func partitionField(
        _ settings: UnsafePointer<weir_setting>?,
        _ count: Int,
        _ host: UnsafePointer<weir_host>?
    ) {
        guard let host = unsafe host?.pointee, let (plugin, options) = unsafe plugin(settings, count),
            let field = plugin.partitionField(options)
        else { return }
        unsafe weir_text.lending(field) { unsafe host.take_bytes?(host.context, $0) }
    }

    @unsafe
    static func graph(
        _ settings: UnsafePointer<weir_setting>?,
        _ count: Int,
        _ host: UnsafePointer<weir_host>?
    ) {
        guard let host = unsafe host?.pointee, let (plugin, options) = unsafe plugin(settings, count) else { return }
        for node in plugin.graph(options).nodes {
            let kind =
                switch node.kind {
                case .source: WEIR_NODE_SOURCE
                case .step: WEIR_NODE_STEP
                case .sink: WEIR_NODE_SINK
                }
            unsafe weir_text.lending(node.label) { label in
                unsafe node.sources.map { UInt32($0) }
                    .withUnsafeBufferPointer { sources in
                        var told = unsafe weir_node(
                            label: label,
                            sources: sources.baseAddress,
                            source_count: sources.count,
                            kind: UInt32(kind),
                            reserved: 0
                        )
                        unsafe host.take_node?(host.context, &told)
                    }
            }
        }
    }

    @unsafe
    static func partialMatches(_ instance: UnsafeMutableRawPointer?) -> UInt64 {
        guard let instance = unsafe instance,
            let held = unsafe Unmanaged<Instance>.fromOpaque(instance).takeUnretainedValue().output.partialMatches
        else { return .max }
        return UInt64(held)
    }

    /// The plugin, and the values of its options, where they can be read.
    @unsafe
    private static func plugin(
        _ settings: UnsafePointer<weir_setting>?,
        _ count: Int
    ) -> (any Plugin, OptionValues)? {
        guard let plugin = plugin.withLock({ $0 }),
            let options = unsafe try? OptionValues(plugin.options, given: weir_setting.given(settings, count))
        else { return nil }
        return (plugin, options)
    }

    /// Why the host's input ended early.
    private struct HostFailure: Error, CustomStringConvertible {
        let description: String
    }
}
