internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirState

/// Saves the state of a pipeline from time to time, and knows the one that it goes on from.
///
/// One thread at a time uses it: that of the pipeline.
final class StateKeeper {
    let request: StateRequest

    /// What the pipeline goes on from; `nil` where it begins.
    private(set) var start: RunCheckpoint?

    /// Whether everything was read and written before, and nothing came since.
    private(set) var isDone = false

    /// What the state depends on.
    var settings: [RunCheckpoint.Setting]

    private let folder: StateFolder
    private let clock: any TimeSource
    private let remark: @Sendable (String) -> Void
    private var due: Timestamp
    private var hasFailed = false
    private var matchCount: UInt64 = 0

    /// What a checkpoint has where the plugins wanted no more records.
    static let finishedPlugins = "plugins are finished"

    /// Takes hold of the folder, and reads the newest checkpoint.
    ///
    /// - Parameters:
    ///   - state: What is asked for.
    ///   - run: The run that asks for it.
    ///   - clock: Says when the next checkpoint is due.
    ///   - remark: Takes lines for people.
    /// - Throws: ``HostError`` when the folder cannot be used, or has the state of another pipeline.
    init(
        _ state: StateRequest,
        of run: RunRequest,
        clock: any TimeSource,
        _ remark: @escaping @Sendable (String) -> Void
    ) throws(HostError) {
        request = state
        settings = state.settings
        self.clock = clock
        self.remark = remark
        due = clock.now() + state.interval
        do throws(StateFolder.Refusal) {
            folder = try StateFolder(state.folder)
            start = try folder.newest { remark($0) }?.checkpoint
        } catch {
            throw HostError(.cannotCreate, "--state: \(error)")
        }
        guard let start else { return }
        try check(start)
        isDone = start.settings == state.settings && start.isFinished && run.hasNothingMore(than: start)
    }

    /// Lets another run use the folder.
    func close() { folder.close() }

    /// Whether a checkpoint is due.
    var isDue: Bool { clock.now() >= due }

    /// Has the next checkpoint be due now: those before it are of other plugins.
    func expedite() { due = clock.now() }

    /// Writes a checkpoint; where that fails, the run goes on with those before it.
    ///
    /// - Returns: How many bytes it takes; `nil` where it could not be written.
    func write(_ checkpoint: inout RunCheckpoint) -> Int? {
        checkpoint.program = Version.text
        checkpoint.time = WallClock().now().nanosecondsSinceEpoch
        checkpoint.settings = settings
        defer { due = clock.now() + request.interval }
        do throws(TransportError) {
            let count = try folder.write(&checkpoint, isDurable: request.durability != .never)
            if hasFailed { remark("the state is saved again") }
            hasFailed = false
            return count
        } catch {
            fail("\(error)")
            return nil
        }
    }

    /// Whether there are more matches than the last time.
    func note(matches: UInt64) -> Bool { exchange(&matchCount, with: matches) != matches }

    /// Says once that the state cannot be saved.
    func fail(_ reason: String) {
        if !hasFailed {
            remark("the state cannot be saved, and the run goes on with the checkpoint before: \(reason)")
        }
        hasFailed = true
        due = clock.now() + request.interval
    }

    /// Forgets what was given back already; where the inputs were stays.
    func forgetContents() {
        start?.consumers = []
        start?.parts = []
    }

    /// How inputs and plugins go on; `nil` where the pipeline begins.
    var resumption: Resumption? {
        start.map { Resumption(checkpoint: $0, request: request, remark: remark) }
    }

    private func drop(_ what: String, _ consequence: String) throws(HostError) {
        try resumption?.drop(what, consequence)
    }

    // MARK: Another pipeline

    /// Checks that a checkpoint is one of this pipeline.
    private func check(_ start: RunCheckpoint) throws(HostError) {
        let differences = Self.differences(start.settings, request.settings)
        guard !differences.isEmpty else { return }
        try drop(
            "'\(request.folder)' has the state of another pipeline: \(differences.joined(separator: ", "))",
            "what fits is kept"
        )
    }

    private static func differences(_ old: [RunCheckpoint.Setting], _ new: [RunCheckpoint.Setting]) -> [String] {
        func short(_ value: String) -> String? {
            value.isEmpty || value.count > 40 || value.contains("\n") ? nil : value
        }
        var texts: [String] = []
        for setting in new {
            let before = old.first { $0.name == setting.name }
            guard before?.value != setting.value else { continue }
            switch (before.map { short($0.value) }, short(setting.value)) {
            case (nil, _): texts.append("\(setting.name) was not given")
            case (let before??, let now?): texts.append("\(setting.name) was '\(before)' and is '\(now)'")
            default: texts.append("\(setting.name) changed")
            }
        }
        for setting in old where !new.contains(where: { $0.name == setting.name }) {
            texts.append("\(setting.name) was given")
        }
        return texts
    }

    // MARK: Consumers

    /// Gives plugins back what those before knew, as far as it fits.
    func restore(_ plugins: RunningPlugins) throws(HostError) {
        guard let start else { return }
        for consumer in start.consumers {
            let partial = consumer.partialMatches.map {
                Quantity.counted(UInt64($0), "partial match", "partial matches")
            }
            let lost = "that is lost" + (partial.map { ", with \($0)" } ?? "")
            do {
                switch try plugins.restore(
                    consumer.bytes,
                    of: consumer.name,
                    consumer.fingerprint,
                    droppingMismatches: request.dropsMismatch
                ) {
                case .restored(let report):
                    guard let losses = report?.losses else { continue }
                    remark("a part of what '\(consumer.name)' knew does not fit any more, and is lost: \(losses)")
                case .isOther(let report):
                    let losses = report?.losses.map { ": \($0)" } ?? ""
                    try drop("what '\(consumer.name)' knew does not fit any more\(losses)", lost)
                case .isGone: try drop("there is no plugin '\(consumer.name)' any more", lost)
                }
            } catch let error as HostError {
                throw error
            } catch {
                // Half of it may have been given back.
                throw HostError(
                    .noInput,
                    "--state: what '\(consumer.name)' knew cannot be read: \(error); begin anew in another folder"
                )
            }
        }
        for name in plugins.names where !start.consumers.contains(where: { $0.name == name }) {
            try drop("'\(name)' is a new plugin", "it begins")
        }
    }

    // MARK: Outputs

    /// Cuts the outputs back to what they had, so that what is found again is written once.
    ///
    /// - Parameter outputs: Those that can be cut, with the options that name them.
    /// - Throws: ``HostError`` when one has less; then all are as they were.
    func cutBack(_ outputs: [(option: OptionDeclaration, address: Address)]) throws(HostError) {
        guard let start else { return }
        var cuts: [(path: String, byteCount: Int64)] = []
        for (option, address) in outputs {
            let name = Self.name(of: address, option)
            guard let before = start.outputs.first(where: { $0.name == name }) else {
                try drop("'\(address.name)' is a new output", "it begins with what is found now")
                continue
            }
            let now = FileSystem.length(ofFile: address.path)
            if now == nil, before.byteCount == 0 { continue }
            let flaw: String? =
                switch now {
                case nil: "is not there any more"
                case let now? where before.node != 0 && now.node != before.node:
                    "is another file than the one that was written before"
                case let now? where now.byteCount < before.byteCount:
                    "has \(now.byteCount) bytes, and \(before.byteCount) were written before"
                default: nil
                }
            if let flaw {
                try drop("'\(address.name)' \(flaw)", "what is found now is written behind what is there")
            } else {
                cuts.append((address.path, before.byteCount))
            }
        }
        for cut in cuts {
            do throws(TransportError) {
                try FileSystem.cutFile(cut.path, to: cut.byteCount)
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
    }

    static func name(of address: Address, _ option: OptionDeclaration) -> String { "--\(option.name) \(address.name)" }
}

extension RestoreReport {
    /// What of a checkpoint did not fit, part by part; `nil` where nothing was in that.
    fileprivate var losses: String? {
        let parts =
            changed.map { (section: $0, reason: "changed") } + dropped.map { (section: $0, reason: "no longer there") }
        let texts = parts.filter { $0.section.items > 0 }
            .map { part in
                "'\(part.section.name)' is \(part.reason), with "
                    + Quantity.counted(UInt64(part.section.items), "element", "elements")
            }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
