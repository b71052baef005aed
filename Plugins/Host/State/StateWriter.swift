internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirState
internal import WeirSystem

/// Writes checkpoints on a thread of its own, one at a time, while the pipeline goes on.
///
/// What is written was copied before, so the pipeline stands still only for the copy.
///
/// Thread safety: one thread at a time uses it; it shares a lock with the thread that writes.
final class StateWriter {
    /// What became of a checkpoint.
    struct Outcome: Sendable {
        /// It, with its number.
        let checkpoint: RunCheckpoint
        /// How many bytes it takes, or why it could not be written.
        let result: Result<Int, TransportError>
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
            let done = Self.write(checkpoint, to: folder, after: paths, isDurable: isDurable, pause: pause)
            outcome.state.withLock { $0 = done }
            outcome.arrival.unpark()
        }
        return isBusy
    }

    private static func write(
        _ checkpoint: RunCheckpoint,
        to folder: StateFolder,
        after paths: [String],
        isDurable: Bool,
        pause: Int64
    ) -> Outcome {
        var checkpoint = checkpoint
        let result: Result<Int, TransportError>
        do throws(TransportError) {
            try FileSystem.synchronizeFiles(paths)
            result = .success(try folder.write(&checkpoint, isDurable: isDurable))
        } catch {
            result = .failure(error)
        }
        // Where the inputs are is of use, and not what plugins keep.
        checkpoint.consumers = []
        return Outcome(checkpoint: checkpoint, result: result, pause: pause)
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
