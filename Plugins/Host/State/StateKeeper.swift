internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirState
internal import WeirSystem

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
    private let writer: StateWriter
    private let clock: any TimeSource
    private let remark: @Sendable (String) -> Void
    private var due: Timestamp
    private var nextHastened = Timestamp.distantPast
    private var hasFailed = false
    private var isUrgent = false
    private var progress = Progress()
    private var savedProgress: Progress?
    private var nextIdleSave = Timestamp.distantPast

    /// How often the state could not be saved.
    private(set) var failureCount: UInt64 = 0
    private var matchCount: UInt64 = 0
    // What the last checkpoint took, and the process when it was begun.
    private var lastByteCount = 0
    private var lastResidentByteCount = 0
    // Whether copies of the process can save the state.
    private var copies = true
    private static let leastByteCountOfCopies = 4 << 20

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
            writer = StateWriter(folder)
            let found = try folder.newest { remark($0) }
            start = found?.checkpoint
            lastByteCount = found?.byteCount ?? 0
        } catch {
            throw HostError(.cannotCreate, "--state: \(error)")
        }
        guard let start else { return }
        try check(start)
        isDone = start.settings == state.settings && start.isFinished && run.hasNothingMore(than: start)
    }

    /// Lets another run use the folder.
    func close() {
        _ = finishWriting()
        folder.close()
    }

    /// Whether a checkpoint is due.
    var isDue: Bool {
        if isUrgent { return true }
        guard !writer.isWriting else { return false }
        let now = clock.now()
        if now >= due { return true }
        // Once a second at most: it may be that none can be written.
        guard let journals = request.journals, now >= nextHastened, journals.wantsCheckpoint else { return false }
        nextHastened = now + .seconds(1)
        return true
    }

    // MARK: While nothing comes

    /// What tells one state from another.
    struct Progress: Equatable {
        var byteCount: Int64 = 0
        var recordCount: UInt64 = 0
        var matchCount: UInt64 = 0
    }

    /// Notes how far the pipeline is.
    func note(_ progress: Progress) { self.progress = progress }

    /// Whether the pipeline is further than with the last checkpoint.
    var hasChanges: Bool { isUrgent || progress != savedProgress }

    /// Whether a checkpoint is being written.
    var isWriting: Bool { writer.isWriting }

    /// How long it is until a checkpoint is due, where none could be saved before; until one was written, that is looked at.
    var timeUntilIdleSave: Duration {
        guard !isWriting else { return Self.leastIdleTime }
        return max(.zero, max(due, nextIdleSave) - clock.now())
    }

    /// Has the next look be later.
    func postponeIdleSave() { nextIdleSave = clock.now() + max(request.interval, Self.leastIdleTime) }

    private static let leastIdleTime = Duration.milliseconds(50)

    /// Has the next checkpoint be due now, even while one is written: those before it are of other plugins.
    func expedite() { isUrgent = true }

    /// Writes a checkpoint; where that fails, the run goes on with those before it.
    ///
    /// - Returns: How many bytes it takes; `nil` where it could not be written.
    func write(_ checkpoint: inout RunCheckpoint, after paths: [String]) -> Int? {
        _ = finishWriting()
        complete(&checkpoint)
        do throws(TransportError) {
            try FileSystem.synchronizeFiles(paths)
            let count = try folder.write(&checkpoint, isDurable: request.durability != .never)
            noteWritten(checkpoint, count)
            return count
        } catch {
            fail("\(error)")
            return nil
        }
    }

    /// Writes a checkpoint while the pipeline goes on.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint.
    ///   - paths: The files that have to be on the disk before it.
    ///   - pause: How long the pipeline stood still for it.
    /// - Returns: False where it has to be written at once.
    func writeBehind(_ checkpoint: inout RunCheckpoint, after paths: [String], pause: Int64) -> Bool {
        complete(&checkpoint)
        return writer.begin(checkpoint, after: paths, isDurable: request.durability != .never, pause: pause)
    }

    /// Whether to write the next checkpoint in a copy of the process.
    ///
    /// Making one takes a millisecond or more, and each page that changes meanwhile some microseconds: where little is saved,
    /// saving it at once is quicker.
    var prefersCopy: Bool {
        guard copies, !isUrgent else { return false }
        if lastByteCount >= Self.leastByteCountOfCopies { return true }
        // How much it is by now is known only once it is saved.
        return SystemLimits.residentByteCount - lastResidentByteCount >= 4 * Self.leastByteCountOfCopies
    }

    /// Writes a checkpoint in a copy of the process, while the pipeline goes on.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint, without what the plugins know.
    ///   - paths: The files that have to be on the disk before it.
    ///   - contents: Saves what the plugins know.
    ///   - pause: Says how long the pipeline stood still for it, once it goes on.
    /// - Returns: False where it has to be written in another way.
    func writeInCopy(
        _ checkpoint: inout RunCheckpoint,
        after paths: [String],
        contents: () throws -> [RunCheckpoint.Consumer],
        pause: () -> Int64
    ) -> Bool {
        complete(&checkpoint)
        return writer.beginInCopy(
            checkpoint,
            after: paths,
            isDurable: request.durability != .never,
            contents: contents,
            pause: pause
        )
    }

    /// Takes note of a checkpoint that was written while the pipeline went on.
    ///
    /// - Returns: How many bytes it takes, and how long the pipeline stood still for it; `nil` where there is none.
    func noteWriting() -> (byteCount: Int, pause: Int64)? { writer.take().flatMap(note) }

    /// Waits until nothing is written any more.
    func finishWriting() -> (byteCount: Int, pause: Int64)? { writer.wait().flatMap(note) }

    private func note(_ outcome: StateWriter.Outcome) -> (byteCount: Int, pause: Int64)? {
        switch outcome.result {
        case .written(let count):
            noteWritten(outcome.checkpoint, count)
            return (count, outcome.pause)
        case .failed(let reason):
            fail(reason)
            return nil
        case .lost(let way):
            copies = false
            remark(
                "the copy of the process that should have saved the state \(way); the run does it itself from now on"
            )
            expedite()
            return nil
        }
    }

    private func noteWritten(_ checkpoint: RunCheckpoint, _ byteCount: Int) {
        lastByteCount = byteCount
        request.journals?.noteCheckpoint(checkpoint)
        if hasFailed { remark("the state is saved again") }
        hasFailed = false
    }

    private func complete(_ checkpoint: inout RunCheckpoint) {
        checkpoint.program = Version.text
        checkpoint.time = WallClock().now().nanosecondsSinceEpoch
        checkpoint.settings = settings
        lastResidentByteCount = SystemLimits.residentByteCount
        due = clock.now() + request.interval
        isUrgent = false
        savedProgress = progress
    }

    /// Whether there are more matches than the last time.
    func note(matches: UInt64) -> Bool { exchange(&matchCount, with: matches) != matches }

    /// Says once that the state cannot be saved.
    func fail(_ reason: String) {
        failureCount += 1
        if !hasFailed {
            remark("the state cannot be saved, and the run goes on with the checkpoint before: \(reason)")
        }
        hasFailed = true
        due = clock.now() + request.interval
        isUrgent = false
        savedProgress = nil
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
