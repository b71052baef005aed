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

    /// Goes on with another plan: in place where only plugins or outputs differ, so that the inputs stay open and
    /// nothing is lost; otherwise the old inputs are drained before the new ones are opened.
    ///
    /// - Throws: ``HostError`` when the plan cannot be carried out; the old one then goes on.
    func change(to plan: Configuration.Plan) throws(HostError) {
        let (old, interruption, hasEnded) = state.withLock { ($0.plan, $0.interruption, $0.exitCode != nil) }
        let next = try plan.request(try Registry.builtIn(interruption: interruption))
        let schema: RecordSchema
        do throws(HostError) {
            schema = try RunningPlugins(next.instances).schema
        } catch {
            throw plan.locate(error)
        }
        var staysOpen = interruption != nil && !hasEnded && next.hasInputs(of: plan, as: old)
        let canReadOn =
            next.inputs.count == 1 && ["csv", "jsonl"].contains(next.inputs[0].format.name)
            && plan.arguments[.framing] == nil
        if staysOpen, !canReadOn {
            let before = try RunningPlugins(try old.request(try Registry.builtIn(interruption: nil)).instances)
            staysOpen = before.schema == schema
        }
        state.withLock { state in
            state.plan = plan
            guard !staysOpen else { return }
            state.revision += 1
            state.interruption?.trigger()
        }
        if staysOpen {
            replacement.put(next)
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
            guard wish == .run else { return end(.interrupted) }
            _ = replacement.take()
            let start = clock.now()
            let (code, limit) = attempt(plan, interruption)
            let (newRevision, newWish) = state.withLock { ($0.revision, $0.wish) }
            guard newWish == .run else { return end(code) }
            if newRevision != revision {
                failures = 0
                continue
            }
            switch code {
            case .done, .inputRejected, .interrupted: return end(code)
            default: break
            }
            if (clock.now() - start).wholeNanoseconds >= Self.healthyAfter { failures = 0 }
            failures += 1
            guard failures <= limit else { return end(code) }
            pause(after: failures, limit)
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
        let revision = state.withLock { $0.revision }
        while clock.now() < end {
            let isUnchanged = state.withLock { $0.wish == .run && $0.revision == revision }
            guard isUnchanged else { return }
            wake.park(until: end)
        }
    }

    private func end(_ code: ExitCode) {
        status.update { $0.phase = .ended(code) }
        state.withLock { state in
            state.exitCode = code
            state.interruption = nil
        }
        surroundings.noticeEnd()
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
