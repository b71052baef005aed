internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirGroups
internal import WeirRecords
internal import WeirSystem

/// Runs plugins as a member of a group, until it is interrupted.
///
/// Thread safety: one thread makes and runs it.
final class GroupRun {
    private let request: RunRequest
    private let group: GroupChoice
    private let context: Pipeline.Context
    private let clock = MonotonicClock()
    private let meters: TransportMeters
    private let backend: any GroupBackend
    private let schema: RecordSchema
    private let results = GroupPartition.Results()
    private let partitions = Partitions()
    private let rejections: RejectionReport
    private let name: String
    private let start: Timestamp

    /// The partitions that are worked at.
    private final class Partitions {
        var all: [Int: GroupPartition] = [:]
    }

    /// How long to wait for messages before the share is looked at, in nanoseconds.
    private static let turn: Int64 = 50_000_000

    /// The same while partitions are about to change hands, which pause until it was looked at.
    private static let shortTurn: Int64 = 5_000_000

    /// How long a member that is to end waits at most until others have its partitions, in nanoseconds.
    ///
    /// Those that are left then pause for longer. What is committed then has the rest of the five seconds in which a member ends.
    private static let longestEnd: Int64 = 4_000_000_000

    /// How long trouble is over before the same is said again, in nanoseconds.
    private static let troubleTime: Int64 = 30_000_000_000

    /// How often the numbers of partitions are looked at, in nanoseconds.
    private static let statusInterval: Int64 = 1_000_000_000

    /// Checks that the group can be joined.
    ///
    /// - Throws: ``HostError`` with what is wrong.
    init(_ request: RunRequest, _ group: GroupChoice, _ context: Pipeline.Context) throws(HostError) {
        var request = request
        // How plugins get back what they knew.
        request.state = StateRequest(
            option: .group,
            folder: group.name,
            interval: group.interval,
            dropsMismatch: group.dropsMismatch,
            durability: .never,
            settings: []
        )
        self.request = request
        self.group = group
        self.context = context
        let (console, pipeline) = (context.console, request.name)
        meters = TransportMeters { notice in console.writeLine(notice, about: pipeline) }
        let plugins = try RunningPlugins(request.instances)
        schema = plugins.schema
        try request.checkThatNothingIsOverwritten()
        try request.checkTimes(of: schema)
        try plugins.checkThatStateCanBeSaved(for: .group)
        InterruptSignal.catchFirst(includingHangUp: false)
        CrashReport.tellLoss("nothing is lost: the next member goes on from the last commits")
        guard case .address(let input) = request.inputs[0].source,
            let transport = input.transport as? any GroupTransport
        else { throw HostError(.internalError, "'\(request.inputs[0].name)' has no partitions") }
        var wanted = GroupRequest(
            name: group.name,
            input: input.place,
            output: request.outputs[0].place,
            partitionCount: group.partitionCount
        ) { console.writeLine($0, about: pipeline) }
        wanted.skipsRemoved = group.dropsMismatch
        backend = try Self.open(wanted, transport, context)
        // What others or this one have rejected before stays: its place is behind it.
        request.rejected = try request.rejected.map { address throws(HostError) in
            address.canBeCutBack ? try address.appending() : address
        }
        request.late = try request.late.map { address throws(HostError) in
            address.canBeCutBack ? try address.appending() : address
        }
        rejections = try Pipeline.openKeptLines(request, context, meters)
        rejections.report(messagesOf: meters)
        let host = ProgramEnvironment.hostName.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        name =
            "\(String(host))-\(ProgramEnvironment.processNumber)-" + String(UInt32.random(in: .min ... .max), radix: 36)
        context.console.write(request.queries, about: request.name)
        start = clock.now()
    }

    /// Opens the group, again and again while it cannot be reached: servers may come, and elect a leader.
    private static func open(
        _ request: GroupRequest,
        _ transport: any GroupTransport,
        _ context: Pipeline.Context
    ) throws(HostError) -> any GroupBackend {
        var trouble: String?
        while true {
            do throws(GroupError) { return try transport.openGroup(request) } catch {
                guard error.kind == .unreachable || error.kind == .interrupted else { throw HostError(error) }
                guard !(context.interruption?.isTriggered ?? false) else {
                    throw HostError(.interrupted, "--group: interrupted before the group was reached")
                }
                if trouble != error.reason { request.notice("\(error.reason); it is tried again") }
                trouble = error.reason
            }
            _ = Parker().park(until: MonotonicClock().now().shifted(byNanoseconds: 500_000_000))
        }
    }

    /// Works until the program is interrupted.
    ///
    /// - Parameter beforeSummary: Called before the numbers are written.
    /// - Returns: How the program ends; everything that there is to say was said.
    func run(_ beforeSummary: () -> Void = {}) -> ExitCode {
        context.status.watch(meters)
        context.status.update { $0.phase = .running }
        context.console.writeLine("'\(name)' joins the group '\(group.name)'", about: request.name)
        var failure: HostError?
        do throws(HostError) { try work() } catch { failure = error }
        publish(nil)
        do throws(TransportError) { try rejections.finish(meters) } catch {
            failure = failure ?? HostError(.outputFailed, "\(error)")
        }
        let code = failure?.exitCode ?? .interrupted
        context.status.update { $0.phase = .ended(code) }
        beforeSummary()
        let summary = results.tally.summary(
            matches: results.matches,
            explains: false,
            nanoseconds: (clock.now() - start).wholeNanoseconds
        )
        if let failure { context.console.writeLine(failure.message, about: request.name) }
        let lost =
            results.lostOutputs == 0
            ? "" : ", \(Quantity.counted(results.lostOutputs, "output", "outputs")) lost that servers do not take"
        context.console.writeLine(
            (code == .interrupted ? "interrupted; " : "stopped early; ") + summary + lost,
            about: request.name
        )
        return code
    }

    private func work() throws(HostError) {
        let rejections = rejections
        results.report = { lines throws(TransportError) in try rejections.report(lines) }
        do throws(TransportError) { try rejections.begin() } catch { throw HostError(.outputFailed, "\(error)") }
        var settings = GroupSettings(group.settings, partitionCount: group.partitionCount)
        settings.replaces = group.dropsMismatch
        let log: any PartitionLog
        do throws(GroupError) { log = try backend.makeLog(clock: clock) } catch { throw HostError(error) }
        let member = try GroupMember(name, settings, in: backend, context.console)
        let worker = makeWorker(log)
        defer {
            results.lostOutputs = worker.counts.lostOutputs
            member.leave()
        }
        do throws(GroupError) {
            try work(worker, member)
        } catch {
            guard error.kind == .interrupted else { throw HostError(error) }
            throw HostError(GroupError(.interrupted, Self.uncommitted(worker.trouble?.reason ?? error.reason)))
        }
    }

    private func work(_ worker: GroupWorker, _ member: GroupMember) throws(GroupError) {
        var nextStatus = clock.now()
        var trouble: String?
        var troubleEnd: Timestamp?
        let parker = Parker()
        var end: Timestamp?
        while true {
            let now = clock.now()
            if context.interruption?.isTriggered ?? false {
                let limit = end ?? now.shifted(byNanoseconds: Self.longestEnd)
                end = limit
                guard !member.handOverAll(), now < limit else { break }
            }
            let share = try member.share()
            let turn = share.isChanging || end != nil ? Self.shortTurn : Self.turn
            let released = try worker.step(share, now, until: now.shifted(byNanoseconds: turn))
            member.tell(released: released, prepared: worker.prepared)
            if worker.counts.commits > 0 { member.noteCommits() }
            if let reason = worker.trouble?.reason {
                // What comes again and again is said once.
                if reason != trouble { context.console.writeLine("\(reason); it is tried again", about: request.name) }
                (trouble, troubleEnd) = (reason, now.shifted(byNanoseconds: Self.troubleTime))
            } else if troubleEnd.map({ $0 <= now }) ?? false {
                (trouble, troubleEnd) = (nil, nil)
            }
            if let end = worker.pauseEnd {
                _ = parker.park(until: min(end, now.shifted(byNanoseconds: Self.turn)))
            }
            guard nextStatus <= now else { continue }
            nextStatus = now.shifted(byNanoseconds: Self.statusInterval)
            for partition in Set(partitions.all.keys).subtracting(worker.partitions) { partitions.all[partition] = nil }
            publish(worker, member)
        }
        // What was given up before, or is now, others find again.
        try worker.commitAll(clock.now())
        if let trouble = worker.trouble { throw GroupError(.interrupted, trouble.reason) }
        publish(worker, member)
    }

    private static func uncommitted(_ reason: String) -> String {
        "interrupted before all was committed (\(reason)): the next member goes on from the last commits, and finds again what "
            + "came since"
    }

    private func makeWorker(_ log: any PartitionLog) -> GroupWorker {
        var settings = GroupWorker.Settings()
        settings.interval = group.interval.wholeNanoseconds
        settings.idleInterval = max(settings.idleInterval, settings.interval)
        let decoder = GroupDecoder(request, schema: schema)
        let (console, pipeline) = (context.console, request.name)
        let sourceCount = backend.sourceCount
        return GroupWorker(log, settings) { [request, results, partitions] number, state throws(GroupError) in
            do throws(HostError) {
                let partition = try GroupPartition(
                    number,
                    request,
                    from: state,
                    sourceCount: sourceCount,
                    decoder,
                    results
                ) { console.writeLine("partition \(number): \($0)", about: pipeline) }
                partitions.all[number] = partition
                return partition
            } catch {
                throw GroupError(.refused, error.message)
            }
        }
    }

    // MARK: Numbers

    private func publish(_ worker: GroupWorker?, _ member: GroupMember? = nil) {
        let last = member?.view.last ?? [:]
        let now = clock.now()
        let rows = worker?.progress.map { progress in
            GroupStatus.Row(
                partition: progress.partition,
                lag: last.isEmpty ? nil : (last[progress.partition] ?? 0).subtractingOrZero(progress.position),
                position: progress.position,
                commitAge: (now - progress.lastCommit).wholeNanoseconds,
                stateByteCount: progress.stateByteCount,
                watermark: partitions.all[progress.partition]?.watermark
            )
        }
        if let worker, let rows {
            let status = GroupStatus(
                program: Version.text,
                time: WallClock().now(),
                events: results.tally.events,
                matches: results.matches,
                counts: worker.counts,
                rows: rows
            )
            member?.show(status.encoded)
        }
        let view = member?.view
        let questions = partitions.all.values.map(\.partialMatches)
        context.status.ask {
            let known = questions.compactMap { $0() }
            return known.isEmpty ? nil : known.reduce(0, +)
        }
        context.status.update { numbers in
            numbers.tally = results.tally
            numbers.matches = results.matches
            numbers.byteCount = results.byteCount
            numbers.watermark = rows?.compactMap(\.watermark).min() ?? numbers.watermark
            if let worker, let rows {
                numbers.group = GroupNumbers(
                    members: view?.members ?? 0,
                    foreignSubjects: view?.foreignSubjects ?? 0,
                    counts: worker.counts,
                    rows: rows
                )
            }
        }
    }
}

/// The numbers of a member for displays and metrics.
struct GroupNumbers: Sendable {
    let members: Int

    /// Subjects of the input that are of no partition.
    let foreignSubjects: Int
    let counts: GroupWorker.Counts
    let rows: [GroupStatus.Row]
}

extension UInt64 {
    fileprivate func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

extension HostError {
    init(_ error: GroupError) {
        self.init(error.kind == .interrupted ? .interrupted : .noInput, "--group: \(error.reason)")
    }
}
