internal import WeirCore
internal import WeirLoading
internal import WeirRecords
internal import WeirSystem

extension Registry {
    /// The plugin of a name, or from the library at a path.
    ///
    /// - Throws: ``HostError`` when there is none; it suggests what may have been meant.
    func requiredPlugin(named name: String) throws(HostError) -> any Plugin {
        if let plugin = plugin(named: name) { return plugin }
        if Self.isLibrary(name) {
            // The loader takes a name without a slash for one in the current folder.
            let trusted: String
            do throws(UntrustedFile) {
                trusted = try FileTrust.resolve(name.contains("/") ? name : "./" + name)
            } catch {
                throw HostError(.cannotLoad, "cannot load '\(name)': \(error)")
            }
            let plugin: LabelledPlugin
            do throws(LoadingError) {
                let loaded = try CrashReport.Work("the library '\(name)'")
                    .perform { () throws(LoadingError) in try LoadedPlugin(path: name, foundAt: trusted) }
                plugin = LabelledPlugin(loaded)
            } catch {
                throw HostError(.cannotLoad, "\(error)")
            }
            try checkOptions(of: plugin, else: .cannotLoad)
            return plugin
        }
        throw .usage(
            "there is no plugin '\(name)'"
                + Suggestion.text(
                    for: name,
                    among: plugins.map(\.name),
                    otherwise: "'weir list plugins' lists what there is"
                )
        )
    }

    /// Checks that a plugin declares no option that the program has already: nobody could ever set it.
    func checkOptions(of plugin: any Plugin, else code: ExitCode) throws(HostError) {
        for option in plugin.options where RunOptions.names.contains(option.name) {
            throw HostError(
                code,
                "the plugin '\(plugin.name)' declares --\(option.name), which weir has already; rename it there"
            )
        }
    }

    /// Whether a word names a library and not a plugin.
    static func isLibrary(_ name: String) -> Bool {
        name.hasSuffix(".so") || name.hasSuffix(".dylib") || name.contains("/")
    }

    /// Whether a word behind the first one is another plugin, and not an input.
    func isAnotherPlugin(_ word: String) -> Bool {
        let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = sides.last ?? word
        return plugin(named: name) != nil || name.hasSuffix(".so") || name.hasSuffix(".dylib")
    }
}
