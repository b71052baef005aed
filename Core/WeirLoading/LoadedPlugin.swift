internal import CWeirPlugin
internal import WeirCore
public import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A plugin from a library that was built apart.
///
/// The library is loaded once and never unloaded. It runs in the host's process: what is guaranteed is that a library
/// that cannot be loaded, is no plugin, or was built for another version costs one error and nothing else. A plugin that
/// crashes or breaks memory takes the process with it, and with it what other plugins have found in the same batch of
/// records: what came of earlier batches was handed to the outputs. To protect more, run it in a process of its own.
///
/// Thread safety: any thread may start instances.
// The functions and what they are given never change: the header demands it, and the library is never unloaded.
@safe
public struct LoadedPlugin: Plugin, @unchecked Sendable {
    public let name: String
    public let summary: String
    public let options: [OptionDeclaration]
    public let examples: [(arguments: String, meaning: String)]

    /// The functions, as many as this host knows; those that the library lacks are `nil`.
    private let table: weir_plugin

    /// Loads a library.
    ///
    /// - Parameter path: Where it is; a name without a slash is one in the current folder.
    /// - Throws: ``LoadingError``.
    public init(path: String) throws(LoadingError) {
        try self.init(path: path, foundAt: path.contains("/") ? path : "./" + path)
    }

    /// Loads a library that errors call something else than the system.
    ///
    /// - Parameters:
    ///   - path: What errors call it.
    ///   - place: Where it is, with a slash.
    /// - Throws: ``LoadingError``.
    package init(path: String, foundAt place: String) throws(LoadingError) {
        guard !path.utf8.contains(0) else { throw .cannotLoad(path: path, reason: "the path contains a zero") }
        if let flaw = LibraryFile.flaw(ofFileAt: place) { throw .cannotLoad(path: path, reason: flaw) }
        guard let handle = unsafe dlopen(place, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
            // Most systems begin the reason with the path, which the error names already.
            let begin = place + ": "
            throw .cannotLoad(
                path: path,
                reason: reason.hasPrefix(begin) ? String(reason.dropFirst(begin.count)) : reason
            )
        }
        guard let symbol = unsafe dlsym(handle, "weir_plugin_entry") else { throw .notAPlugin(path: path) }
        typealias Entry = @convention(c) (UInt32) -> UnsafePointer<weir_plugin>?
        // The header gives the symbol this type.
        let entry = unsafe unsafeBitCast(symbol, to: Entry.self)
        guard let table = unsafe entry(WEIR_PLUGIN_VERSION) else { throw .notAPlugin(path: path) }
        // The version comes first in every version of the table; nothing else is looked at before it fits.
        let version = unsafe table.pointee.version
        guard version == WEIR_PLUGIN_VERSION else {
            throw .otherVersion(path: path, version: version, expected: WEIR_PLUGIN_VERSION)
        }
        unsafe try self.init(Self.copy(of: table, path), path)
    }

    /// The part of a library's table that this host knows.
    @unsafe
    private static func copy(
        of table: UnsafePointer<weir_plugin>,
        _ path: String
    ) throws(LoadingError) -> weir_plugin {
        let size = unsafe Int(table.pointee.size)
        // Everything up to here was in the first table; no table has thousands of functions.
        let whole = unsafe MemoryLayout<weir_plugin>.size
        let least = unsafe MemoryLayout<weir_plugin>.offset(of: \.partition_field) ?? whole
        guard (least...4096).contains(size), size % MemoryLayout<Int>.size == 0 else {
            throw .malformed(
                path: path,
                reason: "its table has \(size) bytes, which no version of Weir has; build it again with this one"
            )
        }
        var copy = unsafe weir_plugin()
        unsafe withUnsafeMutableBytes(of: &copy) { copy in
            unsafe copy.copyMemory(
                from: UnsafeRawBufferPointer(start: table, count: min(size, whole))
            )
        }
        return unsafe copy
    }

    @unsafe
    private init(_ table: weir_plugin, _ path: String) throws(LoadingError) {
        unsafe self.table = table
        guard unsafe table.start != nil, unsafe table.receive != nil, unsafe table.finish != nil,
            unsafe table.release != nil, unsafe table.demo != nil
        else { throw .malformed(path: path, reason: "its table lacks functions") }
        let reader = TableReader(path: path)
        unsafe name = try reader.text(table.name, "name")
        unsafe summary = try reader.text(table.summary, "summary")
        guard TableReader.isName(name) else {
            throw .malformed(path: path, reason: "'\(name)' is no name for a plugin")
        }
        unsafe options = try reader.options(table.options, table.option_count)
        unsafe examples = try reader.examples(table.examples, table.example_count)
    }

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        // A library that was built before there were these options knows of none of them.
        let knowsTimes = OptionDeclaration.inputTimes.allSatisfy { known in
            self.options.contains { $0.name == known.name && $0.kind == known.kind }
        }
        let times = knowsTimes ? try options.inputTimes() : nil
        let run = unsafe try LoadedInstance(table, options, times: times, output)
        var consumer = RecordConsumer(
            schema: run.schema,
            receive: { batch in run.receive(&batch) },
            finish: { completion in run.finish(completion) }
        )
        consumer.state = run.state
        return consumer
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        ByteSource(unsafe HostCalls.bytes { unsafe table.demo(seed, $0) })
    }

    public func partitionField(_ options: OptionValues) -> String? {
        guard let function = unsafe table.partition_field else { return nil }
        let name = unsafe weir_setting.lending(options.given) { settings, count in
            unsafe HostCalls.bytes { unsafe function(settings, count, $0) }
        }
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    public func graph(_ options: OptionValues) -> PluginGraph {
        let calls = HostCalls()
        if let function = unsafe table.graph {
            unsafe weir_setting.lending(options.given) { settings, count in
                unsafe calls.during { unsafe function(settings, count, $0) }
            }
        }
        guard let graph = calls.graph, !graph.nodes.isEmpty else { return PluginGraph(ofPlugin: name) }
        return graph
    }
}
