public import CWeirPlugin
internal import WeirCore
public import WeirRecords

/// Offers a plugin to hosts that load it at run time.
///
/// A library that is to be loaded has one of these, and hands it out:
///
///     import CWeirPlugin
///     import WeirShake
///
///     private let export = PluginExport(ShakePlugin())
///
///     @c(weir_plugin_entry) @implementation
///     public func weir_plugin_entry(_ hostVersion: UInt32) -> UnsafePointer<weir_plugin>? { export.table }
///
/// Thread safety: any thread.
// What the table points to is allocated here, never changes, and is never freed: hosts keep it for ever.
@safe
public final class PluginExport: @unchecked Sendable {
    /// The functions of the plugin.
    public let table: UnsafePointer<weir_plugin>

    /// Offers a plugin.
    ///
    /// A library has one plugin, so this is called once: the functions of the table find the plugin through a global.
    ///
    /// - Parameter plugin: The plugin.
    public init(_ plugin: some Plugin) {
        ExportedPlugin.set(plugin)
        let options = UnsafeMutablePointer<weir_option>.allocate(capacity: max(1, plugin.options.count))
        for (index, option) in plugin.options.enumerated() {
            unsafe (options + index).initialize(to: weir_option(option))
        }
        let examples = UnsafeMutablePointer<weir_example>.allocate(capacity: max(1, plugin.examples.count))
        for (index, example) in plugin.examples.enumerated() {
            unsafe (examples + index).initialize(
                to: weir_example(arguments: .permanent(example.arguments), meaning: .permanent(example.meaning))
            )
        }
        let table = UnsafeMutablePointer<weir_plugin>.allocate(capacity: 1)
        unsafe table.initialize(
            to: weir_plugin(
                version: WEIR_PLUGIN_VERSION,
                size: UInt32(MemoryLayout<weir_plugin>.size),
                name: .permanent(plugin.name),
                summary: .permanent(plugin.summary),
                options: options,
                option_count: plugin.options.count,
                examples: examples,
                example_count: plugin.examples.count,
                start: { settings, count, host in unsafe ExportedPlugin.start(settings, count, host) },
                receive: { instance, batch, host in unsafe ExportedPlugin.receive(instance, batch, host) },
                finish: { instance, failure, host in unsafe ExportedPlugin.finish(instance, failure, host) },
                release: { instance in unsafe ExportedPlugin.release(instance) },
                demo: { seed, host in unsafe ExportedPlugin.demo(seed, host) },
                partition_field: { settings, count, host in
                    unsafe ExportedPlugin.partitionField(settings, count, host)
                },
                graph: { settings, count, host in unsafe ExportedPlugin.graph(settings, count, host) },
                partial_matches: { instance in unsafe ExportedPlugin.partialMatches(instance) },
                state_name: { instance, host in unsafe ExportedPlugin.stateName(instance, host) },
                save: { instance, host in unsafe ExportedPlugin.save(instance, host) },
                restore: { instance, bytes, drops, host in
                    unsafe ExportedPlugin.restore(instance, bytes, drops, host)
                }
            )
        )
        unsafe self.table = UnsafePointer(table)
    }
}

extension weir_option {
    /// What a declaration says, for the other side.
    init(_ option: OptionDeclaration) {
        unsafe self.init()
        unsafe name = unsafe .permanent(option.name)
        unsafe help = unsafe .permanent(option.help)
        unsafe default_text = unsafe .permanent(option.defaultText ?? "")
        unsafe has_default = option.defaultText == nil ? 0 : 1
        switch option.kind {
        case .number(let unit, let minimum):
            unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_NUMBER), .permanent(unit))
            unsafe (has_minimum, self.minimum) = (minimum == nil ? 0 : 1, minimum ?? 0)
        case .duration: unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_DURATION), .permanent(""))
        case .integer(let range):
            unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_INTEGER), .permanent(""))
            unsafe (least, most) = (Int64(range.lowerBound), Int64(range.upperBound))
        case .byteCount(let range):
            unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_BYTE_COUNT), .permanent(""))
            unsafe (least, most) = (Int64(range.lowerBound), Int64(range.upperBound))
        case .flag: unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_FLAG), .permanent(""))
        case .choice(let words):
            unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_CHOICE), .permanent(words.joined(separator: "\n")))
        case .text(let placeholder): unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_TEXT), .permanent(placeholder))
        case .list(let placeholder): unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_LIST), .permanent(placeholder))
        case .mapping(let keys):
            unsafe (kind, detail) = unsafe (UInt32(WEIR_OPTION_MAPPING), .permanent(keys.joined(separator: "\n")))
        }
    }
}
