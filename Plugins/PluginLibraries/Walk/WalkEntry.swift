public import CWeirPlugin
internal import WeirLoading
internal import WeirWalk

private let export = PluginExport(WalkPlugin())

/// What a host calls when it loads this library.
@c(weir_plugin_entry) @implementation
public func weir_plugin_entry(_ hostVersion: UInt32) -> UnsafePointer<weir_plugin>? {
    export.table
}
