internal import CWeir

/// What a thread has to do.
private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runJob(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    // The one reference that `start` made.
    unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
}

/// Threads for work that blocks, such as reading an input.
public enum SystemThread {
    /// Starts a detached thread.
    ///
    /// - Parameters:
    ///   - name: Shows in debuggers and `top`; up to 15 bytes of it.
    ///   - body: What the thread does; it ends when that returns.
    /// - Returns: False when the system has no threads left.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let job = unsafe Unmanaged.passRetained(Job(body))
        let error = unsafe cweir_thread_start(name, runJob, job.toOpaque())
        if error != 0 { unsafe job.release() }
        return error == 0
    }
}
