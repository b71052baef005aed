internal import WeirCore
internal import WeirRecords

// The threads that feed records to plugins.
extension WorkerPool {
    static func work(
        _ request: RunRequest,
        _ schema: RecordSchema,
        _ jobs: BoundedQueue<Job>,
        _ answers: BoundedQueue<Answer>,
        _ held: Held
    ) {
        do throws(HostError) {
            let plugins = try RunningPlugins(
                request.instances,
                form: request.matchForm,
                batchCapacity: batchCapacity
            )
            held.add(plugins.partialMatches)
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
                case .finish(let completion):
                    plugins.finish(completion)
                    plugins.takeMatches { answer.lastMatches += $0 }
                }
                answer.matchCount = plugins.matchCount - before
                answer.order = plugins.order
                answer.counts = plugins.counts.map { (name: $0.name, value: $0.value) }
                answers.push(answer)
                if case .finish = job { return }
            }
        } catch {
            var answer = Answer()
            answer.failure = error
            answers.push(answer)
        }
    }
}
