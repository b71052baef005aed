internal import WeirCore
internal import WeirFiles
internal import WeirSystem

/// Keeps one configured pipeline running, on a thread of its own.
///
/// A pipeline that fails is started again after a while, which doubles from 100 ms to 30 s with each failure; one that
/// then ran for a minute counts as healthy. What fails in one pipeline does not touch the others, as far as one process
/// can promise that: a plugin that breaks memory or traps ends the process. Plugins that one does not trust belong into a
/// process of their own.
///
/// Thread safety: any thread.
final class PipelineKeeper: Sendable {
    /// What somebody wants of the pipeline.
    private enum Wish {
        case run
        case end
    }

    private struct State {
        var plan: Configuration.Plan
        var wish = Wish.run
        /// Counts the starts that somebody asked for, so that the thread notices.
        var revision = 0
        var interruption: Interruption?
        var exitCode: ExitCode?
    }

    /// What keepers share.
    struct Surroundings: Sendable {
        let console: Console
        let outputs: SharedOutputs
        /// Called when a pipeline has ended for good.
        let noticeEnd: @Sendable () -> Void
    }

    let status: PipelineStatus

    private let surroundings: Surroundings
    private let state: Locked<State>
    private let replacement = Replacement()
    private let clock = MonotonicClock()
    private let wake = Parker()

    private static let shortestPause: Int64 = 100_000_000
    private static let longestPause: Int64 = 30_000_000_000
    private static let healthyAfter: Int64 = 60_000_000_000

    /// Creates a keeper whose pipeline does not run yet.
    init(_ plan: Configuration.Plan, _ surroundings: Surroundings) {
        status = PipelineStatus(name: plan.name)
        self.surroundings = surroundings
        state = Locked(State(plan: plan))
    }

    /// What the pipeline is to do.
    var plan: Configuration.Plan { state.withLock { $0.plan } }

    /// The name of the pipeline, which never changes.
    var name: String { status.name }

    /// Whether nobody wants it any more.
    var isEnding: Bool { state.withLock { $0.wish == .end } }

    /// How it ended; `nil` while it has not.
    var exitCode: ExitCode? { state.withLock { $0.exitCode } }

    /// Starts the pipeline.
    func start() {
        state.withLock { $0.exitCode = nil }
        guard !SystemThread.start("weir.pipeline", { self.keepRunning() }) else { return }
        surroundings.console.writeLine("the system has no threads left", about: status.name)
        end(.internalError)
    }

    /// Ends the pipeline in order: what it has read is still processed.
    func stop() {
        state.withLock { state in
            state.wish = .end
            state.interruption?.trigger()
        }
        wake.unpark()
    }

    /// Another plan for the pipeline, which can be carried out.
    struct Change {
        fileprivate let plan: Configuration.Plan
        fileprivate let request: RunRequest
        /// Whether the inputs can be read on.
        fileprivate let staysOpen: Bool
    }

    /// Prepares to go on with another plan; nothing changes yet.
    ///
    /// - Throws: ``HostError`` when the plan cannot be carried out.
    func change(to plan: Configuration.Plan) throws(HostError) -> Change {
        let (old, interruption) = state.withLock { ($0.plan, $0.interruption) }
        let next = try plan.request(try Registry.builtIn(interruption: interruption))
        let schema: RecordSchema
        do throws(HostError) {
            schema = try RunningPlugins(next.instances).schema
            try next.checkThatNothingIsOverwritten()
        } catch {
            throw plan.locate(error)
        }
        try next.checkThatFilesCanBeWritten()
        var staysOpen = interruption != nil && next.hasInputs(of: plan, as: old)
        let canReadOn =
            next.inputs.count == 1 && ["csv", "jsonl"].contains(next.inputs[0].format.name)
            && plan.arguments[.framing] == nil
        if staysOpen, !canReadOn {
            let before = try RunningPlugins(try old.request(try Registry.builtIn(interruption: nil)).instances)
            staysOpen = before.schema == schema
        }
        return Change(plan: plan, request: next, staysOpen: staysOpen)
    }

    /// Goes on with another plan.
    ///
    /// In place where only plugins or outputs differ, so that the inputs stay open and nothing is lost; otherwise the old
    /// inputs are drained before the new ones are opened. A pipeline that has ended, or was to end, starts again.
    func apply(_ change: Change) {
        let (staysOpen, hasEnded) = state.withLock { state in
            let hasEnded = state.exitCode != nil
            let staysOpen = change.staysOpen && !hasEnded && state.wish == .run
            state.plan = change.plan
            state.wish = .run
            if !staysOpen {
                state.revision += 1
                state.interruption?.trigger()
            }
            return (staysOpen, hasEnded)
        }
        if staysOpen {
            replacement.put(change.request)
        } else if hasEnded {
            start()
        }
        wake.unpark()
    }

    /// Starts the pipeline again and again, until it is done or nobody wants it any more.
    private func keepRunning() {
        var failures = 0
        while true {
            guard let interruption = try? Interruption() else {
                surroundings.console.writeLine("the system has no descriptors left", about: status.name)
                return end(.internalError)
            }
            let (plan, revision, wish) = state.withLock { state in
                state.interruption = interruption
                return (state.plan, state.revision, state.wish)
            }
            var code = ExitCode.interrupted
            if wish == .run {
                _ = replacement.take()
                let start = clock.now()
                let limit: Int
                (code, limit) = attempt(plan, interruption)
                if (clock.now() - start).wholeNanoseconds >= Self.healthyAfter { failures = 0 }
                let isOver = code == .done || code == .inputRejected || code == .interrupted || failures >= limit
                if !isOver, state.withLock({ $0.wish == .run && $0.revision == revision }) {
                    failures += 1
                    pause(after: failures, limit)
                    continue
                }
            }
            guard !end(code, unlessChangedSince: revision) else { return }
            failures = 0
        }
    }

    /// Runs the pipeline once.
    private func attempt(_ plan: Configuration.Plan, _ interruption: Interruption) -> (ExitCode, limit: Int) {
        status.update { $0.phase = .starting }
        do throws(HostError) {
            let request = try plan.request(try Registry.builtIn(interruption: interruption))
            do throws(HostError) {
                let pipeline = try Pipeline(
                    request,
                    Pipeline.Surroundings(
                        console: surroundings.console,
                        status: status,
                        interruption: interruption,
                        outputs: surroundings.outputs,
                        replacement: request.partition == nil ? replacement : nil
                    )
                )
                let ending = pipeline.run()
                if case .failed(let error) = ending { status.update { $0.lastError = error.message } }
                return (pipeline.exitCode(of: ending), request.restartLimit)
            } catch {
                report(plan.locate(error))
                return (error.exitCode, error.exitCode == .usage ? 0 : request.restartLimit)
            }
        } catch {
            report(error)
            return (error.exitCode, 0)
        }
    }

    private func report(_ error: HostError) {
        status.update { $0.lastError = error.message }
        surroundings.console.writeLine(error.message, about: status.name)
    }

    private func pause(after failures: Int, _ limit: Int) {
        let length = min(Self.longestPause, Self.shortestPause << Int64(min(20, failures - 1)))
        let end = clock.now() + .nanoseconds(length)
        status.update { numbers in
            numbers.restarts += 1
            numbers.phase = .waiting(until: end)
        }
        surroundings.console.writeLine(
            "starts again in \(Quantity.seconds(length)) s (\(failures) of \(limit))",
            about: status.name
        )
        let (revision, arguments) = state.withLock { ($0.revision, $0.plan.arguments) }
        while clock.now() < end {
            let isUnchanged = state.withLock {
                $0.wish == .run && $0.revision == revision && $0.plan.arguments == arguments
            }
            guard isUnchanged else { return }
            wake.park(until: end)
        }
    }

    private func end(_ code: ExitCode) {
        end(code, unlessChangedSince: nil)
    }

    /// Ends for good, unless somebody wants another start since a revision.
    ///
    /// - Returns: Whether it has ended.
    @discardableResult
    private func end(_ code: ExitCode, unlessChangedSince revision: Int?) -> Bool {
        status.update { $0.phase = .ended(code) }
        let hasEnded = state.withLock { state in
            if let revision, state.wish == .run, state.revision != revision { return false }
            state.exitCode = code
            state.interruption = nil
            return true
        }
        if hasEnded { surroundings.noticeEnd() }
        return hasEnded
    }
}

extension RunRequest {
    /// Whether two plans read the same inputs in the same way, so that these can stay open; workers share what they
    /// read, and do not go on with other plugins.
    fileprivate func hasInputs(of plan: Configuration.Plan, as old: Configuration.Plan) -> Bool {
        let options: [HostOption] = [
            .from, .format, .framing, .maxLine, .seed, .idleTimeout, .rejected, .report, .partitionBy, .workers,
        ]
        return partition == nil && options.allSatisfy { plan.arguments[$0] == old.arguments[$0] }
    }
}
