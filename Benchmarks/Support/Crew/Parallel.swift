internal import CBench

/// Runs `body` on one thread per core, each starting when all are there, and returns when all have returned.
///
/// - Parameters:
///   - cores: The core of each thread.
///   - body: Gets the index of its thread.
public func parallel(onCores cores: [Int32], _ body: @escaping @Sendable (Int) -> Void) {
    let job = Job(body)
    withExtendedLifetime(job) {
        cbench_parallel(
            Int32(cores.count),
            { context, index in
                guard let context else { return }
                Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().body(Int(index))
            },
            Unmanaged.passUnretained(job).toOpaque(),
            cores
        )
    }
}

/// A closure that a C function can be given.
private final class Job: Sendable {
    let body: @Sendable (Int) -> Void

    init(_ body: @escaping @Sendable (Int) -> Void) {
        self.body = body
    }
}
