extension EventProcessor {
    /// Starts the processor, and suspends until it has stopped: what a group of services runs.
    ///
    ///     let worker = EventProcessor(name: "worker")
    ///     try await withThrowingTaskGroup { group in
    ///         group.addTask { try await worker.run() }
    ///         try await group.next()
    ///     }
    ///
    /// When the task is cancelled the processor is stopped, and `run` returns once what was pending is handled. It
    /// returns as well when other code stops the processor.
    ///
    /// - Throws: ``ProcessorError/noThread(name:code:)`` when the system has no thread left.
    public func run() async throws(ProcessorError) {
        try start()
        await withTaskCancellationHandler {
            await core.ended()
        } onCancel: {
            stop(.draining)
        }
    }
}

extension ProcessorPool {
    /// Starts the pool, and suspends until it has stopped: what a group of services runs.
    ///
    /// When the task is cancelled the pool is stopped, and `run` returns once what was pending is handled. It
    /// returns as well when other code stops the pool.
    ///
    /// - Throws: ``ProcessorError/noThread(name:code:)`` when the system has no thread left.
    public func run() async throws(ProcessorError) {
        try start()
        await withTaskCancellationHandler {
            // The pool may grow while one is awaited.
            while let core = cores.first(where: { !$0.hasStopped }) { await core.ended() }
        } onCancel: {
            stop(.draining)
        }
    }
}

extension ProcessorCore {
    /// Suspends until the thread has ended, whether or not the task is cancelled.
    fileprivate func ended() async {
        await withCheckedContinuation { continuation in
            onStop { continuation.resume() }
        }
    }
}
