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
                case .save: save(plugins, place, in: &answer)
                case .finish(let completion):
                    if let completion { plugins.finish(completion) }
                    plugins.takeMatches { answer.lastMatches += $0 }
                }
                answer.matchCount = plugins.matchCount - before
                answer.order = plugins.order
                answer.counts = plugins.counts
                answers.push(answer)
                if case .finish = job { return }
            }
        } catch {
            var answer = Answer()
            answer.failure = error
            answers.push(answer)
        }
    }

    private static func save(_ plugins: RunningPlugins, _ place: WorkerPlace, in answer: inout Answer) {
        do {
            answer.saved = try plugins.saved()
            for index in answer.saved.indices { answer.saved[index].name = place.name(of: answer.saved[index].name) }
        } catch {
            answer.flaw = "\(error)"
        }
    }
}
