internal import CWeir
internal import WeirCore
internal import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A program of the system that makes other bytes of those that it reads.
///
/// It has no environment and a process group of its own, so that Ctrl-C does not end it before it has written all. It ends
/// by itself when what it reads ends, or what it writes has no reader any more: it does not outlive this process.
final class FilterProcess {
    private let program: String

    /// Zero once its end was waited for.
    private var number: pid_t

    /// Where its messages come from.
    let messages: Int32
    private var message: [UInt8] = []
    private static let messageLimit = 1024

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its name.
    ///   - arguments: What follows the name.
    ///   - input: What it reads.
    ///   - output: What it writes.
    /// - Throws: The number of the system's error.
    init(_ program: String, _ arguments: [String], input: Int32, output: Int32) throws(SpawnError) {
        self.program = program
        guard let errors = SystemCalls.makeBlockingPipe() else { throw SpawnError(number: SystemCalls.lastError) }
        defer { SystemCalls.closeDescriptor(errors.writing) }
        var child: pid_t = 0
        let error = SystemCalls.starting.withLock { _ in
            Self.spawn(&child, [program] + arguments, [input, output, errors.writing])
        }
        guard error == 0 else {
            SystemCalls.closeDescriptor(errors.reading)
            throw SpawnError(number: error)
        }
        SystemCalls.stopBlocking(errors.reading)
        number = child
        messages = errors.reading
    }

    /// Why a program was not started.
    struct SpawnError: Error {
        let number: Int32

        /// The reason, in words that follow a colon.
        func description(_ form: Compression) -> String {
            number == ENOENT
                ? "there is no program '\(form.program)' for what is compressed so; install \(form.package)"
                : "'\(form.program)' cannot be started: \(SystemCalls.describe(number))"
        }
    }

    deinit {
        if number != 0 {
            kill(number, SIGKILL)
            _ = wait()
        }
        SystemCalls.closeDescriptor(messages)
    }

    /// Takes the messages that there are, without waiting.
    ///
    /// - Returns: False when there will be no more.
    @discardableResult
    func readMessages() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 512)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe SystemCalls.readBytes(messages, into: $0) }
            if count == 0 { return false }
            if count < 0 { return SystemCalls.lastError == EAGAIN || SystemCalls.lastError == EINTR }
            message += bytes[..<count].prefix(Self.messageLimit - message.count)
        }
    }

    /// Waits until the program has ended, which it does when its input ends.
    ///
    /// - Returns: What went wrong, in its own words where it said something; `nil` when nothing did.
    func finish() -> String? {
        guard number != 0 else { return nil }
        // Its messages end with it.
        while readMessages() { SystemCalls.wait(for: messages, .reading) }
        guard let status = wait() else {
            // Another part of the process waits for all of its children: only the message tells.
            return message.isEmpty ? nil : words
        }
        guard status != 0 else { return nil }
        if let said { return said }
        return status & 0x7F == 0
            ? "'\(program)' ended with \(status >> 8 & 0xFF)" : "'\(program)' was ended by signal \(status & 0x7F)"
    }

    /// What the program has said; `nil` where it has said nothing.
    var said: String? {
        guard !message.isEmpty else { return nil }
        return words.hasPrefix(program) ? words : "\(program): \(words)"
    }

    /// The lines that the program has said, as one.
    private var words: String {
        let lines = message.split(separator: UInt8(ascii: "\n")).map { line in
            // Words are set apart by tabs too.
            let words = line.split { $0 <= UInt8(ascii: " ") }.joined(separator: [UInt8(ascii: " ")])
            return Excerpt.of(Array(words), limit: 200)
        }
        return lines.filter { !$0.isEmpty }.prefix(3).joined(separator: "; ")
    }

    /// Waits for the end.
    ///
    /// - Returns: How it ended; `nil` where that is not known.
    private func wait() -> Int32? {
        var status: Int32 = 0
        defer { number = 0 }
        while unsafe waitpid(number, &status, 0) < 0 {
            guard SystemCalls.lastError == EINTR else { return nil }
        }
        return status
    }

    #if os(tvOS) || os(watchOS)
        private static func spawn(_ child: inout pid_t, _ words: [String], _ streams: [Int32]) -> Int32 { ENOENT }
    #else
        /// Starts a program with the given standard streams.
        ///
        /// - Returns: The number of an error, or zero.
        private static func spawn(_ child: inout pid_t, _ words: [String], _ streams: [Int32]) -> Int32 {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var actions = unsafe posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            // Both are initialised before any other use, and destroyed at the end.
            var error = unsafe posix_spawn_file_actions_init(&actions)
            guard error == 0 else { return error }
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            error = unsafe posix_spawnattr_init(&attributes)
            guard error == 0 else { return error }
            defer { unsafe posix_spawnattr_destroy(&attributes) }
            for (number, descriptor) in streams.enumerated() where error == 0 {
                error = unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            }
            var none = sigset_t()
            unsafe sigemptyset(&none)
            // Ignored signals stay ignored otherwise: without SIGPIPE, it would not notice that its reader has gone.
            var signals = none
            for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ] { unsafe sigaddset(&signals, signal) }
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
            if error == 0 { error = unsafe posix_spawnattr_setsigmask(&attributes, &none) }
            if error == 0 { error = unsafe posix_spawnattr_setsigdefault(&attributes, &signals) }
            if error == 0 { error = unsafe posix_spawnattr_setpgroup(&attributes, 0) }
            if error == 0 { error = unsafe posix_spawnattr_setflags(&attributes, Int16(flags)) }
            // With streams that are not its own, it would read what is meant for this program.
            guard error == 0 else { return error }
            // Copies that live until the call has returned.
            var texts = unsafe words.map { unsafe strdup($0) } + [nil]
            defer { unsafe texts.forEach { unsafe free($0) } }
            var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
            return unsafe posix_spawnp(&child, words[0], &actions, &attributes, &texts, &environment)
        }
    #endif
}

extension SystemCalls {
    /// Held while a filter is started, and while a pipe is made: where the system keeps a pipe from programs only once it is
    /// there, a filter that another thread starts would hold it open.
    static let starting = Locked(())

    /// Makes a pipe whose ends wait, and which no program inherits.
    static func makeBlockingPipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        return starting.withLock { _ in
            unsafe cweir_file_pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
        }
    }

    /// Makes an end of a pipe that does not wait.
    static func stopBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}
