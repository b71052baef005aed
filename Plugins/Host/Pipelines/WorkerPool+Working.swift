internal import WeirCore
internal import WeirRecords
internal import WeirState

/// Which of the workers one is.
struct WorkerPlace: Sendable {
    let index: Int
    let count: Int

    /// What a plugin of this worker is called in a checkpoint: what another number of workers keeps fits none of these.
    func name(of plugin: String) -> String { "\(plugin), worker \(index + 1) of \(count)" }
}

// The threads that feed records to plugins.
extension WorkerPool {
    static func work(
        _ request: RunRequest,
        _ schema: RecordSchema,
        _ jobs: BoundedQueue<Job>,
        _ answers: BoundedQueue<Answer>,
        _ releases: BoundedQueue<Release>,
        _ held: Held,
        _ place: WorkerPlace,
        _ resumption: Resumption?
    ) {
        do throws(HostError) {
            let plugins = try RunningPlugins(
                request.instances,
                form: request.matchForm,
                batchCapacity: batchCapacity
            )
            try resumption?.restore(plugins, of: place)
            held.add(plugins.partialMatches)
            let lent = SharedCell(driven: plugins)
            // The first answer says that the worker is ready.
            answers.push(Answer())
            var batch = RecordBatch(schema: schema, capacity: batchCapacity)
            while let job = jobs.pop() {
                var answer = Answer()
                let before = plugins.matchCount
                switch job {
                case .records(let share, let inputs):
                    share.lend(in: &batch) { answer.results = plugins.receiveEach(&$0) }
                    for index in answer.results.indices { answer.results[index].move(to: share.places, inputs) }
                case .advance(let time):
                    plugins.advance(to: time)
                    plugins.takeMatches { answer.lastMatches += $0 }
                case .lend: answer.lent = lent
                case .finish(let completion):
                    if let completion { plugins.finish(completion) }
                    plugins.takeMatches { answer.lastMatches += $0 }
                }
                answer.matchCount = plugins.matchCount - before
                answer.order = plugins.order
                answer.counts = plugins.counts
                answers.push(answer)
                switch job {
                case .finish: return
                case .lend where releases.pop() == .save: answers.push(saved(plugins, place))
                case .lend, .records, .advance: break
                }
            }
        } catch {
            var answer = Answer()
            answer.failure = error
            answers.push(answer)
        }
    }

    private static func saved(_ plugins: RunningPlugins, _ place: WorkerPlace) -> Answer {
        var answer = Answer()
        do {
            answer.saved = try plugins.saved(at: place)
        } catch {
            answer.flaw = "\(error)"
        }
        return answer
    }
}

extension RunningPlugins {
    /// What each plugin knows, under the names that those of a worker have.
    fileprivate func saved(at place: WorkerPlace) throws -> [RunCheckpoint.Consumer] {
        var saved = try saved()
        for index in saved.indices { saved[index].name = place.name(of: saved[index].name) }
        return saved
    }
}

// How the thread that collects has saved what workers keep, while they stand still.
extension WorkerPool {
    /// Whether a copy of the process can save it.
    var canBeSavedInCopy: Bool { lent.allSatisfy { $0.value.canBeSavedInCopy } }

    /// Saves what all workers keep, on this thread; in a copy of the process.
    ///
    /// - Throws: What a plugin says that cannot save it.
    func savedOfAll() throws -> [RunCheckpoint.Consumer] {
        try lent.enumerated().flatMap { index, plugins in
            try plugins.value.saved(at: WorkerPlace(index: index, count: lent.count))
        }
    }

    /// Has each worker save what it keeps, and go on.
    ///
    /// - Returns: What they keep, and why that cannot be saved, where it cannot.
    func save() throws(HostError) -> (consumers: [RunCheckpoint.Consumer], flaw: String?) {
        release(.save)
        let answers = try takeAnswers()
        return (answers.flatMap(\.saved), answers.lazy.compactMap(\.flaw).first)
    }

    /// Has the workers that stand still go on.
    func release(_ way: Release = .saved) {
        guard !lent.isEmpty else { return }
        lent = []
        for queue in releases { queue.push(way) }
    }
}
