internal import WeirCore
internal import WeirRecords
internal import WeirState

// What plugins know, as bytes.
extension RunningPlugins {
    /// What became of what a plugin knew.
    enum Restoring {
        /// What did not fit was dropped, and is in the report.
        case restored(RestoreReport?)
        /// The plugin of that name keeps something else.
        case isOther(RestoreReport?)
        case isGone
    }

    /// The first plugin whose state cannot be saved.
    var unsaveable: String? { zip(names, consumers).first { $0.1.state == nil }?.0 }

    /// Whether what the plugins know can be saved in a copy of the process.
    var canBeSavedInCopy: Bool { consumers.allSatisfy { $0.state?.canBeSavedInCopy ?? true } }

    /// Saves each plugin once, to find out what cannot be saved before anything is read.
    ///
    /// - Parameter option: The option that asks for it.
    /// - Throws: ``HostError`` that names the plugin, and what of it cannot be saved.
    func checkThatStateCanBeSaved(for option: OptionDeclaration) throws(HostError) {
        if let unsaveable {
            throw .usage(
                "--\(option.name): what '\(unsaveable)' keeps cannot be saved; leave out --\(option.name), or that plugin"
            )
        }
        for (name, consumer) in zip(names, consumers) {
            do {
                _ = try consumer.state?.save()
            } catch {
                throw .usage(
                    "--\(option.name): what '\(name)' keeps cannot be saved: \(error); leave out --\(option.name), or that "
                        + "plugin"
                )
            }
        }
    }

    /// What each plugin knows.
    ///
    /// - Throws: What a plugin says that cannot save it.
    func saved() throws -> [RunCheckpoint.Consumer] {
        var saved: [RunCheckpoint.Consumer] = []
        for (index, consumer) in consumers.enumerated() {
            guard let state = consumer.state else { continue }
            saved.append(
                RunCheckpoint.Consumer(
                    name: names[index],
                    fingerprint: state.fingerprint,
                    partialMatches: outputs[index].partialMatches,
                    bytes: try state.save()[...]
                )
            )
        }
        return saved
    }

    /// What one plugin knows; `nil` where there is none of that name, or it cannot be saved.
    func saved(_ name: String) throws -> RunCheckpoint.Consumer? {
        guard let index = names.firstIndex(of: name), let state = consumers[index].state else { return nil }
        return RunCheckpoint.Consumer(
            name: name,
            fingerprint: state.fingerprint,
            partialMatches: outputs[index].partialMatches,
            bytes: try state.save()[...]
        )
    }

    /// Gives a plugin back what it knew.
    ///
    /// - Throws: What the plugin says that cannot read it.
    func restore(
        _ bytes: ArraySlice<UInt8>,
        of name: String,
        _ fingerprint: String,
        droppingMismatches drops: Bool
    ) throws -> Restoring {
        guard let index = names.firstIndex(of: name) else { return .isGone }
        guard let state = consumers[index].state, state.fingerprint == fingerprint else { return .isOther(nil) }
        do {
            return .restored(try state.restore(bytes, drops))
        } catch StateError.mismatch(let report) {
            return .isOther(report)
        }
    }
}
