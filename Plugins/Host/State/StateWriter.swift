internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// Writes checkpoints on a thread of its own, one at a time, while the pipeline goes on.
///
/// What is written was copied before, so the pipeline stands still only for the copy: of what the plugins know as bytes, or
/// of the whole process, whose pages the system shares until they change.
///
/// Thread safety: one thread at a time uses it; it shares a lock with the thread that writes.
final class StateWriter {
    /// What became of a checkpoint.
    struct Outcome: Sendable {
        enum Result {
            /// How many bytes it takes.
            case written(Int)
            /// Why it could not be written.
            case failed(String)
            /// What became of the copy of the process that should have written it.
            case lost(String)
        }

        /// It, with its number.
        let checkpoint: RunCheckpoint
        let result: Result
        /// How long the pipeline stood still for it, in nanoseconds.
        let pause: Int64
    }

    private let folder: StateFolder
    private let outcome = Shared()
    private var isBusy = false

    private final class Shared: Sendable {
        let state = Locked<Outcome?>(nil)
        let arrival = Parker()
    }

    init(_ folder: StateFolder) { self.folder = folder }

    /// Whether a checkpoint is being written, or its outcome was not taken yet.
    var isWriting: Bool { isBusy }

    /// Writes a checkpoint, once some files have reached the disk.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint.
    ///   - paths: The files that it speaks of; empty where nothing waits for the disk.
    ///   - isDurable: Whether to wait until the disk has it.
    ///   - pause: How long the pipeline stood still for it.
    /// - Returns: False where one is being written, or the system has no threads left.
    func begin(_ checkpoint: RunCheckpoint, after paths: [String], isDurable: Bool, pause: Int64) -> Bool {
        guard !isBusy else { return false }
        let (folder, outcome) = (folder, outcome)
        isBusy = SystemThread.start("weir.state") {
            var checkpoint = checkpoint
            let result = Self.write(&checkpoint, to: folder, after: paths, isDurable)
            // Where the inputs are is of use, and not what plugins keep.
            checkpoint.consumers = []
            let done = Outcome(checkpoint: checkpoint, result: result, pause: pause)
            outcome.state.withLock { $0 = done }
            outcome.arrival.unpark()
        }
        return isBusy
    }

    /// Writes a checkpoint in a copy of the process, which also saves what the plugins know by now.
    ///
    /// - Parameters:
    ///   - checkpoint: The checkpoint, without what the plugins know.
    ///   - paths: The files that it speaks of; empty where nothing waits for the disk.
    ///   - isDurable: Whether to wait until the disk has it.
    ///   - contents: Saves what the plugins know.
    ///   - pause: Says how long the pipeline stood still for it, once it goes on.
    /// - Returns: False where one is being written, or the system makes no copy.
    func beginInCopy(
        _ checkpoint: RunCheckpoint,
        after paths: [String],
        isDurable: Bool,
        contents: () throws -> [RunCheckpoint.Consumer],
        pause: () -> Int64
    ) -> Bool {
        guard !isBusy else { return false }
        let (folder, outcome) = (folder, outcome)
        let made = ProcessCopy.start(keeping: folder.lock) { noteComputed in
            var checkpoint = checkpoint
            do {
                checkpoint.consumers = try contents()
            } catch {
                return Self.report(.failed("\(error)"))
            }
            return Self.report(Self.write(&checkpoint, to: folder, after: paths, isDurable, noteComputed))
        }
        guard let copy = made else { return false }
        var checkpoint = checkpoint
        checkpoint.number = folder.nextNumber
        let (written, paused) = (checkpoint, pause())
        let wait: @Sendable () -> Void = {
            let result: Outcome.Result =
                switch copy.wait() {
                case .report(let bytes): Self.result(of: bytes)
                case .lost(let way): .lost(way)
                }
            if case .written = result { folder.noteWritten() }
            outcome.state.withLock { $0 = Outcome(checkpoint: written, result: result, pause: paused) }
            outcome.arrival.unpark()
        }
        isBusy = true
        if !SystemThread.start("weir.state", wait) { wait() }
        return true
    }

    private static func write(
        _ checkpoint: inout RunCheckpoint,
        to folder: StateFolder,
        after paths: [String],
        _ isDurable: Bool,
        _ noteEncoded: () -> Void = {}
    ) -> Outcome.Result {
        do throws(TransportError) {
            try FileSystem.synchronizeFiles(paths)
            return .written(try folder.write(&checkpoint, isDurable: isDurable, noteEncoded))
        } catch {
            return .failed("\(error)")
        }
    }

    // What a copy reports: a sign, and a number or a text.
    private static func report(_ result: Outcome.Result) -> [UInt8] {
        switch result {
        case .written(let count): Array("+\(count)".utf8)
        case .failed(let reason), .lost(let reason): Array("-\(reason.prefix(1000))".utf8)
        }
    }

    private static func result(of report: [UInt8]) -> Outcome.Result {
        let text = String(decoding: report, as: UTF8.self)
        guard text.hasPrefix("+"), let count = Int(text.dropFirst()) else { return .failed(String(text.dropFirst())) }
        return .written(count)
    }

    /// Takes what became of the checkpoint that was begun, if that is known.
    func take() -> Outcome? {
        guard isBusy, let done = outcome.state.withLock({ exchange(&$0, with: nil) }) else { return nil }
        isBusy = false
        return done
    }

    /// Waits until nothing is written any more.
    ///
    /// - Returns: What became of the checkpoint that was begun, if one was.
    func wait() -> Outcome? {
        while isBusy {
            if let done = take() { return done }
            outcome.arrival.park()
        }
        return nil
    }
}
