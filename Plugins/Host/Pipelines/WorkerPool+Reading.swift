internal import WeirCore
internal import WeirRecords
internal import WeirState

// The thread that reads the inputs and spreads the records.
extension WorkerPool {
    /// What the reading thread and the one that collects tell each other about saving.
    final class Saving: Sendable {
        private let isWanted: Locked<Bool>

        init(takesFirst: Bool) { isWanted = Locked(takesFirst) }

        /// Has what is known be saved between two batches.
        func request() { isWanted.withLock { $0 = true } }

        /// Whether that was requested, once.
        func take() -> Bool { isWanted.withLock { exchange(&$0, with: false) } }
    }

    /// What the reading thread works with.
    struct Reading {
        let request: RunRequest
        let schema: RecordSchema
        let field: Int
        let canAdvance: Bool
        let headers: BoundedQueue<Header>
        let jobs: [BoundedQueue<Job>]
        let release: BoundedQueue<Release>
        let saving: Saving?
        let leavesRest: () -> Bool
    }
}

extension WorkerPool.Reading {
    /// What the greatest time of all that was read is called in a checkpoint: older records are refused.
    private static let partName = "newest time"

    /// Reads the inputs to their end.
    func run(_ meters: TransportMeters, _ resumption: Resumption?) {
        var end = WorkerPool.Header.ended
        do {
            try read(meters, resumption)
        } catch let error as HostError {
            end = error.exitCode == .interrupted ? .interrupted : .failed(error)
        } catch TransportError.interrupted {
            end = .interrupted
        } catch {
            end = .failed(HostError(.noInput, "\(error)"))
        }
        headers.push(end)
        let completion: Completion? =
            switch end {
            case .failed(let error): .failed(error)
            case .interrupted where saving != nil: nil
            case .interrupted: request.completionWhenInterrupted
            default: .finished
            }
        for queue in jobs { queue.push(.finish(completion)) }
    }

    private func read(_ meters: TransportMeters, _ resumption: Resumption?) throws {
        let intake = try request.makeIntake(
            schema: schema,
            batchCapacity: WorkerPool.batchCapacity,
            meters,
            resumption
        )
        intake.reportsIdleTime = canAdvance
        defer { intake.close() }
        let clock = MonotonicClock()
        var watermark = resumption?.time(Self.partName)
        var order = RecordOrder()
        var presence = FieldPresence(of: NamedField.all(of: request.instances, in: schema))
        var isWanted = true
        var hasEnd = false
        if saving != nil {
            intake.saving = IntakeSaving(leavesRest: leavesRest) {
                hasEnd = cut(intake, watermark, isEnd: true)
            }
        }
        do {
            while isWanted {
                if let saving, !hasEnd, saving.take(), !cut(intake, watermark) { saving.request() }
                var header: WorkerPool.Header?
                var shares: [WorkerPool.Job] = []
                let hasMore = try intake.next { batch in
                    let start = clock.now()
                    var rejections = intake.pendingRejections
                    rejections += RejectedInput.all(of: batch) { intake.input(ofLineStartingAt: $0) }
                    // A query looks at each value of a list, and others at the list as a text.
                    let lists =
                        request.queries == nil
                        ? [] : (0..<batch.count).filter { batch.isList(field: field, inRecordAt: $0) }
                    let (records, refused) = Self.split(
                        batch,
                        among: jobs.count,
                        by: field,
                        without: lists,
                        latest: &watermark,
                        &order
                    )
                    presence.look(at: batch)
                    for index in refused {
                        rejections.append(
                            RejectedInput(
                                goingBackAt: index,
                                of: batch,
                                from: intake.input(ofRecordAt: index)
                            )
                        )
                    }
                    for index in lists {
                        rejections.append(
                            RejectedInput(
                                listAt: index,
                                inField: field,
                                of: batch,
                                from: intake.input(ofRecordAt: index)
                            )
                        )
                    }
                    let hasSeveralInputs = request.inputs.count > 1
                    if batch.count == 0, let frontier = intake.frontier {
                        shares = records.map { _ in .advance(to: frontier) }
                    } else {
                        shares = records.map { share in
                            let places = hasSeveralInputs ? share.places : []
                            return .records(share, inputs: places.map { intake.input(ofRecordAt: Int($0)) ?? "" })
                        }
                    }
                    header = .batch(
                        count: batch.count - refused.count - lists.count,
                        rejections: rejections,
                        byteCount: intake.byteCount,
                        watermark: watermark,
                        counts: intake.counts,
                        order: order,
                        unseen: presence.unseen,
                        start: start
                    )
                }
                guard hasMore, let header else { break }
                isWanted = headers.push(header)
                for (queue, share) in zip(jobs, shares) where isWanted { isWanted = queue.push(share) }
            }
        } catch TransportError.interrupted where saving != nil {
            cut(intake, watermark)
            throw TransportError.interrupted(address: "the inputs")
        }
        if isWanted, saving != nil, !hasEnd { cut(intake, watermark, isEnd: true) }
    }

    /// Has all that was read until now, and nothing more, be saved, where that can be done just now, and waits for it.
    ///
    /// - Returns: Whether it will be.
    @discardableResult
    private func cut(_ intake: any Intake, _ newest: Timestamp?, isEnd: Bool = false) -> Bool {
        var checkpoint = RunCheckpoint()
        guard intake.save(to: &checkpoint) else { return false }
        if let newest { checkpoint.parts.append(RunCheckpoint.Part(name: Self.partName, time: newest)) }
        guard headers.push(.cut(WorkerPool.Cut(checkpoint: checkpoint, isEnd: isEnd))) else { return false }
        for queue in jobs { queue.push(.lend) }
        _ = release.pop()
        return true
    }

    /// What each worker gets of a batch by the values of a field, and the indexes of the records that come too late for
    /// all; `latest` is the greatest time so far, and records of the indexes in `leftOut` go nowhere.
    private static func split(
        _ batch: borrowing RecordBatch,
        among count: Int,
        by field: Int,
        without leftOut: [Int],
        latest: inout Timestamp?,
        _ order: inout RecordOrder
    ) -> (shares: [RecordShare], refused: [Int]) {
        let timeField = batch.schema.timeField
        let isOrdered = batch.schema.isOrdered
        var refused: [Int] = []
        var rest = leftOut[...]
        var greatest = latest
        var disorder = order
        let shares = RecordShare.split(batch, into: count) { index in
            if rest.first == index {
                rest.removeFirst()
                return nil
            }
            // Without an order the last record tells how far the input is, well enough.
            if isOrdered || index == batch.count - 1,
                let time = timeField.flatMap({ batch.time(ofField: $0, inRecordAt: index) })
            {
                if isOrdered, let greatest, time < greatest {
                    disorder.note(greatest)
                    disorder.note(time)
                    refused.append(index)
                    return nil
                }
                greatest = max(greatest ?? time, time)
            }
            let partition = KeyPartitions.partition(of: batch.stableHash(ofField: field, inRecordAt: index))
            return KeyPartitions.worker(of: partition, among: count)
        }
        latest = greatest
        order = disorder
        return (shares, refused)
    }
}
