internal import CWeirPlugin
internal import WeirCore
internal import WeirRecords

/// What a plugin tells during a call.
@safe
final class HostCalls {
    /// What a plugin may tell at most; beyond that it is not looked at.
    private enum Limit {
        static let fields = 10_000
        static let counts = 1_000
        static let count: UInt64 = 1 << 48
        static let nodes = 1_000
        static let rejections = 1_000_000
        static let losses = 10_000
    }

    private(set) var failure: (option: String, reason: String)?
    private(set) var schema: RecordSchema?
    private(set) var rejections: [(line: UInt64, reason: String, start: Int, length: Int)] = []
    private(set) var counts: [NamedCount]
    private(set) var bytes: [UInt8] = []

    /// The parts of what was saved that do not fit.
    private(set) var losses: [(part: RestoreReport.Section, isGone: Bool)] = []

    /// The operators that were told; `nil` where they make no graph.
    private(set) var graph: PluginGraph? = PluginGraph()

    private let output: MatchOutput?

    init(_ output: MatchOutput? = nil, _ counts: [NamedCount] = []) {
        self.output = output
        self.counts = counts
    }

    /// The bytes that a call hands over.
    @unsafe
    static func bytes(_ call: (UnsafePointer<weir_host>) -> Void) -> [UInt8] {
        let calls = HostCalls()
        unsafe calls.during(call)
        return calls.bytes
    }

    /// Makes a call during which this object listens.
    @unsafe
    func during<Result>(_ call: (UnsafePointer<weir_host>) -> Result) -> Result {
        // `self` lives until the call is over, and the plugin may not keep the context.
        var host = unsafe weir_host(
            context: Unmanaged.passUnretained(self).toOpaque(),
            fail: { context, option, reason in
                unsafe HostCalls.of(context).failure = (option.words, reason.words)
            },
            take_schema: { context, fields, count, unit in
                unsafe HostCalls.of(context).takeSchema(fields, count, unit)
            },
            take_lines: { context, lines, _ in unsafe HostCalls.of(context).takeLines(lines) },
            reject: { context, line, start, length, reason in
                let calls = unsafe HostCalls.of(context)
                guard calls.rejections.count < Limit.rejections else { return }
                unsafe calls.rejections.append((line, reason.words, Int(start), Int(length)))
            },
            take_count: { context, index, name, value in
                unsafe HostCalls.of(context).takeCount(index, name.words, value)
            },
            take_bytes: { context, bytes in
                unsafe HostCalls.of(context).bytes.append(contentsOf: bytes.buffer)
            },
            take_node: { context, node in unsafe HostCalls.of(context).takeNode(node) },
            take_loss: { context, part, count, isGone in
                let calls = unsafe HostCalls.of(context)
                guard calls.losses.count < Limit.losses else { return }
                let section = unsafe RestoreReport.Section(name: part.words, itemCount: Int(min(count, Limit.count)))
                calls.losses.append((section, isGone != 0))
            }
        )
        return withExtendedLifetime(self) { unsafe call(&host) }
    }

    @unsafe
    private static func of(_ context: UnsafeMutableRawPointer?) -> HostCalls {
        guard let context = unsafe context else {
            preconditionFailure("a plugin must hand back the context that it was given")
        }
        return unsafe Unmanaged<HostCalls>.fromOpaque(context).takeUnretainedValue()
    }

    @unsafe
    private func takeSchema(_ fields: UnsafePointer<weir_field>?, _ count: Int, _ nanoseconds: Int64) {
        guard let unit = TimeUnit.allCases.first(where: { $0.nanoseconds == nanoseconds }) else {
            return failure = ("", "the plugin's times count \(nanoseconds) ns, which is no unit")
        }
        guard unsafe count == 0 || fields != nil, (0...Limit.fields).contains(count) else {
            return failure = ("", "the plugin says that it wants \(count) fields")
        }
        var wanted: [RecordSchema.Field] = []
        var time: (field: Int, order: UInt32)?
        for index in 0..<count {
            guard let field = unsafe fields?[index] else { break }
            unsafe wanted.append(RecordSchema.Field(field.name.words, isRequired: field.is_required != 0))
            if time == nil, unsafe field.is_time != 0 { time = unsafe (index, field.is_time) }
        }
        var schema = RecordSchema(
            fields: wanted,
            timeUnit: unit,
            timeField: time?.field,
            isOrdered: time?.order == 2
        )
        schema.isOrderedInGroups = time?.order == 3
        self.schema = schema
    }

    /// Takes lines, whatever they are: what is not UTF-8 is replaced, and the last one gets the end that it lacks.
    @unsafe
    private func takeLines(_ lines: weir_text) {
        var bytes = unsafe Array(lines.buffer)
        guard let output, let last = bytes.last else { return }
        if last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        if String(validating: bytes, as: UTF8.self) == nil {
            bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
        }
        let count = UInt64(bytes.count { $0 == UInt8(ascii: "\n") })
        unsafe bytes.withUnsafeBufferPointer { unsafe output.write(lines: $0, count: count) }
    }

    private func takeCount(_ index: Int, _ name: String, _ value: UInt64) {
        guard let output, (0...counts.count).contains(index), index < Limit.counts else { return }
        if index == counts.count { counts.append(output.makeCount(of: name)) }
        let before = counts[index].value
        let value = min(value, Limit.count)
        if value > before { counts[index].add(value - before) }
    }

    @unsafe
    private func takeNode(_ told: UnsafePointer<weir_node>?) {
        guard let nodes = graph?.nodes, let node = unsafe told?.pointee else { return }
        let sourceCount = unsafe node.source_count
        // A node comes after others that were told before it.
        guard (0...nodes.count).contains(sourceCount), nodes.count < Limit.nodes else { return graph = nil }
        var sources: [Int] = []
        for index in 0..<sourceCount {
            guard let source = unsafe node.sources?[index] else { break }
            sources.append(Int(source))
        }
        let kind: PluginGraph.Kind? =
            switch unsafe Int(node.kind) {
            case Int(WEIR_NODE_SOURCE): .source
            case Int(WEIR_NODE_STEP): .step
            case Int(WEIR_NODE_SINK): .sink
            default: nil
            }
        guard let kind, sources.allSatisfy(nodes.indices.contains) else { return graph = nil }
        unsafe graph?.add(node.label.words, kind, after: sources)
    }
}
