internal import CWeir
internal import WeirCore

/// What people read when the program crashes, or when it has to be ended by force.
///
/// For programs, which own their signals; a library leaves them alone.
public enum CrashReport {
    /// Work that may go wrong, such as that of a plugin.
    ///
    /// Thread safety: any thread; the text stays for as long as the program runs, once for all labels that are equal.
    @safe
    public struct Work: @unchecked Sendable {
        // Safety of `@unchecked Sendable`: the label is written before the lock of `labels` is left, and neither changed nor
        // freed afterwards.
        fileprivate let label: UnsafePointer<CChar>

        /// Gives work a name.
        ///
        /// - Parameter name: For people, such as `plugin 'shake'`; the line has room for about 200 bytes of it.
        public init(_ name: String) {
            unsafe label = CrashReport.labels.withLock { labels in
                if let known = unsafe labels[name] { return unsafe known }
                let bytes = name.utf8.prefix(200).map { CChar(bitPattern: $0 == 0 ? UInt8(ascii: "?") : $0) } + [0]
                let label = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
                unsafe label.initialize(from: bytes, count: bytes.count)
                unsafe labels[name] = UnsafePointer(label)
                return unsafe UnsafePointer(label)
            }
        }

        /// Does the work, so that a crash during it is said to be one of it.
        ///
        /// - Parameter body: The work; work within it takes its name instead.
        /// - Returns: What `body` returns.
        /// - Throws: What `body` throws.
        public func perform<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let outer = unsafe cweir_crash_work_on(label)
            defer { _ = unsafe cweir_crash_work_on(outer) }
            return try body()
        }
    }

    // Never freed: a crash reads them at any time. There are as many as there are names of plugins.
    private static let labels = unsafe Locked<[String: UnsafePointer<CChar>]>([:])

    /// Starts reporting in one line why the program crashes; the signal's status ends it at once, on whatever thread.
    ///
    /// Where the environment has `SWIFT_BACKTRACE`, Swift's backtracer does what it says there after the line. Call it
    /// first, before threads are started.
    ///
    /// - Parameter program: The program's name, of which nothing else is called.
    public static func begin(program: StaticString) {
        program.withUTF8Buffer { name in
            unsafe name.withMemoryRebound(to: CChar.self) { name in
                guard let start = name.baseAddress else { return }
                unsafe cweir_crash_report(start, ProgramEnvironment.value(of: "SWIFT_BACKTRACE") != nil)
            }
        }
    }

    /// Says what it costs to end the program by a second signal, where that is something else than what was found and not
    /// written.
    ///
    /// - Parameter text: The end of the line that tells of it.
    package static func tellLoss(_ text: StaticString) {
        text.withUTF8Buffer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress else { return }
                unsafe cweir_crash_tell_loss(start)
            }
        }
    }
}
