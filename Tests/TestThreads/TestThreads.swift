#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a thread has to do.
private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runJob(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let job = unsafe job else { return nil }
    unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body()
    return nil
}

/// Threads for tests: plain ones, so that the thread sanitizer sees them start and end.
package enum TestThreads {
    /// Runs every body on a thread of its own, and returns when all have ended.
    package static func run(_ bodies: [@Sendable () -> Void]) {
        #if canImport(Darwin)
            let threads = unsafe bodies.map { unsafe thread(running: Job($0)) }
            unsafe threads.forEach { thread in _ = unsafe pthread_join(thread, nil) }
        #else
            let threads = bodies.map { thread(running: Job($0)) }
            for thread in threads { pthread_join(thread, nil) }
        #endif
    }

    #if canImport(Darwin)
        private static func thread(running job: Job) -> pthread_t {
            var thread: pthread_t?
            let status = unsafe pthread_create(&thread, nil, { runJob($0) }, Unmanaged.passRetained(job).toOpaque())
            guard status == 0, let thread = unsafe thread else { preconditionFailure("cannot start a thread") }
            return unsafe thread
        }
    #else
        private static func thread(running job: Job) -> pthread_t {
            var thread: pthread_t = 0
            let status = unsafe pthread_create(&thread, nil, runJob, Unmanaged.passRetained(job).toOpaque())
            precondition(status == 0, "cannot start a thread")
            return thread
        }
    #endif

    /// Lets another thread go on.
    package static func yield() {
        _ = sched_yield()
    }

    /// Calls `body` with every sequence of `length` of the `choices`; shorter ones are their beginnings.
    package static func everySequence<Choice>(of choices: [Choice], length: Int, _ body: ([Choice]) -> Void) {
        var digits = [Int](repeating: 0, count: length)
        while true {
            body(digits.map { choices[$0] })
            guard let place = digits.firstIndex(where: { $0 < choices.count - 1 }) else { return }
            for lower in 0..<place { digits[lower] = 0 }
            digits[place] += 1
        }
    }
}
