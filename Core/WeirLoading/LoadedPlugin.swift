internal import CWeirPlugin
public import WeirCore

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
/// crashes or breaks memory takes the process with it, and with it what other plugins have not written out yet; who needs
/// more runs it in a process of its own.
///
/// Thread safety: any thread may start instances.
// The table never changes and stays for ever: the header demands it, and the library is never unloaded.
@safe
public struct LoadedPlugin: Plugin, @unchecked Sendable {
    public let name: String
    public let summary: String
    public let options: [OptionDeclaration]
    public let examples: [(arguments: String, meaning: String)]

    private let table: UnsafePointer<weir_plugin>

    /// Loads a library.
    ///
    /// - Parameter path: Where it is; a name without a slash is one in the current folder.
    /// - Throws: ``LoadingError``.
    public init(path: String) throws(LoadingError) {
        guard !path.utf8.contains(0) else { throw .cannotLoad(path: path, reason: "the path contains a zero") }
        let place = path.contains("/") ? path : "./" + path
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
        let size = unsafe Int(table.pointee.size)
        guard unsafe size == MemoryLayout<weir_plugin>.size else {
            throw .malformed(
                path: path,
                reason: unsafe "its table has \(size) bytes, not \(MemoryLayout<weir_plugin>.size); "
                    + "build it again with this version of Weir"
            )
        }
        try unsafe self.init(table, path)
    }

    @unsafe
    private init(_ table: UnsafePointer<weir_plugin>, _ path: String) throws(LoadingError) {
        unsafe self.table = table
        let plugin = unsafe table.pointee
        guard unsafe plugin.start != nil, unsafe plugin.receive != nil, unsafe plugin.finish != nil,
            unsafe plugin.release != nil, unsafe plugin.demo != nil
        else { throw .malformed(path: path, reason: "its table lacks functions") }
        unsafe name = plugin.name.string
        unsafe summary = plugin.summary.string
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) else {
            throw .malformed(path: path, reason: "'\(name)' is no name for a plugin")
        }
        var options: [OptionDeclaration] = []
        for index in 0..<(unsafe plugin.option_count) {
            guard let option = unsafe plugin.options?[index] else { break }
            guard let declaration = unsafe OptionDeclaration(option) else {
                throw .malformed(path: path, reason: "its option '\(unsafe option.name.string)' is of no known kind")
            }
            options.append(declaration)
        }
        if let flaw = OptionValues.flaw(in: options) { throw .malformed(path: path, reason: flaw) }
        self.options = options
        var examples: [(arguments: String, meaning: String)] = []
        for index in 0..<(unsafe plugin.example_count) {
            guard let example = unsafe plugin.examples?[index] else { break }
            unsafe examples.append((example.arguments.string, example.meaning.string))
        }
        self.examples = examples
    }

    public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
        let run = unsafe try LoadedInstance(table, options.given, output)
        return RecordConsumer(
            schema: run.schema,
            receive: { batch in run.receive(&batch) },
            finish: { completion in run.finish(completion) }
        )
    }

    public func makeDemo(seed: UInt64) -> any TransportSource {
        ByteSource(unsafe HostCalls.bytes { unsafe table.pointee.demo(seed, $0) })
    }
}

extension OptionDeclaration {
    /// Reads a declaration; `nil` where its kind is not known, or its numbers contradict each other.
    @unsafe
    fileprivate init?(_ option: weir_option) {
        let detail = unsafe option.detail.string
        let lines = detail.split(separator: "\n").map(String.init)
        let kind: Kind
        switch unsafe Int(option.kind) {
        case Int(WEIR_OPTION_NUMBER):
            kind = unsafe .number(unit: detail, minimum: option.has_minimum == 0 ? nil : option.minimum)
        case Int(WEIR_OPTION_DURATION): kind = .duration
        case Int(WEIR_OPTION_INTEGER):
            guard unsafe option.least <= option.most else { return nil }
            kind = unsafe .integer(Int(option.least)...Int(option.most))
        case Int(WEIR_OPTION_CHOICE): kind = .choice(lines)
        case Int(WEIR_OPTION_TEXT): kind = .text(placeholder: detail)
        case Int(WEIR_OPTION_LIST): kind = .list(placeholder: detail)
        case Int(WEIR_OPTION_MAPPING): kind = .mapping(keys: lines)
        case Int(WEIR_OPTION_BYTE_COUNT):
            guard unsafe option.least <= option.most else { return nil }
            kind = unsafe .byteCount(Int(option.least)...Int(option.most))
        case Int(WEIR_OPTION_FLAG): kind = .flag
        default: return nil
        }
        let defaultText = unsafe option.has_default == 0 ? nil : option.default_text.string
        unsafe self.init(option.name.string, kind, default: defaultText, help: option.help.string)
    }
}
