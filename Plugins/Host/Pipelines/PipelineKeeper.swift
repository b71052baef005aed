internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Keeps one configured pipeline running, on a thread of its own.
///
/// A pipeline that fails is started again after a while, which doubles from 100 ms to 30 s with each failure; one that
/// then ran for a minute counts as healthy. Where a file that is written fails, the pipeline stays as it is and waits as
/// long: its inputs would be read twice, or not at all. What fails in one pipeline does not touch the others, as far as
/// one process can promise that: a plugin that breaks memory or traps ends the process. Plugins that one does not trust
/// belong into a process of their own.
///
/// Thread safety: any thread.
final class PipelineKeeper: Sendable {
    /// What the pipeline is to do.
    enum DesiredState {
        case run
        case end
    }

    struct State {
        var plan: Configuration.Plan
        var desired = DesiredState.run
        /// Counts the requested starts, so that the thread notices new ones.
        var revision = 0
        var interruption: Interruption?
        var exitCode: ExitCode?
        /// Whether the pipeline waits until it can write.
        var waitsForOutput = false
    }

    /// How a run of the pipeline ended.
    private struct Attempt {
        var code: ExitCode
        /// How many failures in a row there can be.
        var limit = 0
        /// What ran, unless it could not be opened.
        var request: RunRequest?
        var knowledge = Knowledge()
        /// What it and the runs before it counted; `nil` where it could not be opened.
        var counted: Pipeline.Counts?
    }

    /// What keepers share.
    struct Context: Sendable {
        let console: Console
        let outputs: SharedOutputs
        /// Called when a pipeline has ended for good.
        let noticeEnd: @Sendable () -> Void
    }

    let status: PipelineStatus

    let context: Context

    let state: Locked<State>
    let replacement = Replacement()
    private let clock = MonotonicClock()
    let wake = Parker()
    /// One thread at a time waits for an output.
    private let outputPause = Locked(())

    private static let shortestPause: Int64 = 100_000_000
    private static let longestPause: Int64 = 30_000_000_000
    private static let healthyAfter: Int64 = 60_000_000_000

    /// Another start would be of no use, or would write everything twice.
    private static let finalCodes: [ExitCode] = [
        .done, .inputRejected, .rulesLeftOut, .allRejected, .interrupted, .outputFailed,
    ]

    /// Creates a keeper whose pipeline does not run yet.
    init(_ plan: Configuration.Plan, _ context: Context) {
        status = PipelineStatus(name: plan.name)
        self.context = context
        state = Locked(State(plan: plan))
    }

    /// What the pipeline is to do.
    var plan: Configuration.Plan { state.withLock { $0.plan } }

    /// The name of the pipeline, which never changes.
    var name: String { status.name }

    /// Whether nobody wants it any more.
    var isEnding: Bool { state.withLock { $0.desired == .end } }

    /// How it ended; `nil` while it has not.
    var exitCode: ExitCode? { state.withLock { $0.exitCode } }

    /// Starts the pipeline.
    func start() {
        state.withLock { $0.exitCode = nil }
        guard !SystemThread.start("weir.pipeline", { self.keepRunning() }) else { return }
        context.console.writeLine("the system has no threads left", about: status.name)
        end(.internalError)
    }

    /// Ends the pipeline in order: what it has read is still processed.
    func stop() {
        state.withLock { state in
            state.desired = .end
            state.interruption?.trigger()
        }
        wake.unpark()
    }

    /// Starts the pipeline again and again, until it is done or nobody wants it any more.
    private func keepRunning() {
        var failures = 0
        // Other than a reload with other inputs, another start after a failure goes on counting.
        var counted = Pipeline.Counts()
        while true {
            guard let interruption = try? Interruption() else {
                context.console.writeLine("the system has no descriptors left", about: status.name)
                return end(.internalError)
            }
            let (plan, revision, desired) = state.withLock { state in
                // The plan is that of the replacement; one that comes after this replaces what runs.
                _ = replacement.take(resuming: nil)
                state.interruption = interruption
                return (state.plan, state.revision, state.desired)
            }
            var code = ExitCode.interrupted
            if desired == .run {
                let start = clock.now()
                let attempt = attempt(plan, since: revision, after: counted, interruption)
                code = attempt.code
                if (clock.now() - start).wholeNanoseconds >= Self.healthyAfter { failures = 0 }
                let isOver = Self.finalCodes.contains(code) || failures >= attempt.limit
                if !isOver, isWanted(since: revision) {
                    failures += 1
                    counted = attempt.counted ?? counted
                    abandon(attempt)
                    status.update { $0.restarts += 1 }
                    pause(after: failures, attempt.limit, "starts again", since: revision)
                    continue
                }
                guard !end(code, unlessChangedSince: revision) else { return }
                if code != .done { abandon(attempt) }
            } else {
                guard !end(code, unlessChangedSince: revision) else { return }
            }
            failures = 0
            counted = Pipeline.Counts()
        }
    }

    /// Whether the pipeline is to run as it did.
    private func isWanted(since revision: Int) -> Bool {
        state.withLock { $0.desired == .run && $0.revision == revision }
    }

    /// Runs the pipeline once.
    private func attempt(
        _ plan: Configuration.Plan,
        since revision: Int,
        after counted: Pipeline.Counts,
        _ interruption: Interruption
    ) -> Attempt {
        status.update { $0.phase = .starting }
        do throws(HostError) {
            var request = try plan.request(try Registry.builtIn(interruption: interruption))
            // Who changed the configuration while it ran wants the change.
            if revision > 0 { request.state?.dropsMismatch = true }
            do throws(HostError) {
                var shared = makeContext(of: request, since: revision, interruption)
                shared.earlier = counted
                let pipeline = try Pipeline(request, shared)
                let ending = pipeline.run()
                if case .failed(let error) = ending { status.update { $0.lastError = error.message } }
                return Attempt(
                    code: pipeline.exitCode(of: ending),
                    limit: request.restartLimit,
                    request: request,
                    knowledge: pipeline.knowledgeAtEnd,
                    counted: pipeline.counted
                )
            } catch {
                report(plan.locate(error))
                return Attempt(code: error.exitCode, limit: error.exitCode == .usage ? 0 : request.restartLimit)
            }
        } catch {
            report(error)
            return Attempt(code: error.exitCode)
        }
    }

    private func makeContext(
        of request: RunRequest,
        since revision: Int,
        _ interruption: Interruption
    ) -> Pipeline.Context {
        Pipeline.Context(
            console: context.console,
            status: status,
            interruption: interruption,
            outputs: context.outputs,
            replacement: request.partition == nil ? replacement : nil,
            patience: OutputPatience(
                wait: { self.waitForOutput(after: $0, request.restartLimit, $1, since: revision) },
                resume: {
                    self.status.update { $0.phase = .running }
                    self.context.console.writeLine("goes on", about: self.name)
                }
            )
        )
    }

    /// Waits before an output is tried again that has failed.
    ///
    /// - Returns: Whether to try it.
    private func waitForOutput(
        after failures: Int,
        _ limit: Int,
        _ error: TransportError,
        since revision: Int
    ) -> Bool {
        status.update { $0.lastError = "\(error)" }
        guard failures <= limit, !replacement.isWaiting, isWanted(since: revision) else { return false }
        // Messages that are rejected are kept on another thread.
        outputPause.withLock { _ in
            state.withLock { $0.waitsForOutput = true }
            defer { state.withLock { $0.waitsForOutput = false } }
            pause(after: failures, limit, "\(error); it is tried again", since: revision)
        }
        return isWanted(since: revision) && !replacement.isWaiting
    }

    /// Tells what a run knew that another one takes the place of.
    private func abandon(_ attempt: Attempt) {
        // What is saved is not lost.
        guard let request = attempt.request, request.state == nil else { return }
        let next = try? plan.request(try Registry.builtIn(interruption: nil))
        let shared = Pipeline.Context(console: context.console, status: status, interruption: nil)
        shared.abandon(attempt.knowledge, next.map { request.restartRemarks(beside: $0) } ?? [])
    }

    private func report(_ error: HostError) {
        status.update { $0.lastError = error.message }
        context.console.write(error, about: status.name)
    }

    /// Waits, longer with each failure, until the pipeline is to run again or another state is requested.
    private func pause(after failures: Int, _ limit: Int, _ what: String, since revision: Int) {
        let length = min(Self.longestPause, Self.shortestPause << Int64(min(20, failures - 1)))
        let end = clock.now() + .nanoseconds(length)
        status.update { $0.phase = .waiting(until: end) }
        context.console.writeLine(
            "\(what) in \(Quantity.seconds(length)) s (\(failures) of \(limit))",
            about: status.name
        )
        let arguments = plan.arguments
        while clock.now() < end, isWanted(since: revision), plan.arguments == arguments { wake.park(until: end) }
    }

    private func end(_ code: ExitCode) {
        end(code, unlessChangedSince: nil)
    }

    /// Ends for good, unless another start was requested since a revision.
    ///
    /// - Returns: Whether it has ended.
    @discardableResult
    private func end(_ code: ExitCode, unlessChangedSince revision: Int?) -> Bool {
        status.update { $0.phase = .ended(code) }
        let hasEnded = state.withLock { state in
            let isChanged = state.revision != revision || (code == .outputFailed && replacement.isWaiting)
            if revision != nil, state.desired == .run, isChanged { return false }
            state.exitCode = code
            state.interruption = nil
            return true
        }
        if hasEnded { context.noticeEnd() }
        return hasEnded
    }
}
