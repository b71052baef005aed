internal import CWeirSockets

/// A command that runs as a child process, at the other end of a pipe.
///
/// It ends with this object, and with the whole program, whatever ends that.
@safe
final class ChildProgram {
    /// How a program ended.
    struct Ending: CustomStringConvertible {
        /// Its exit status, or 128 and the number of the signal that ended it.
        let status: Int32

        /// Whether it was made to end.
        var isForced = false

        /// Whether there is no such program, or it is none.
        var isUnknown: Bool { status == 126 || status == 127 }

        /// Whether it ended well, or because its own reader did (SIGPIPE).
        var hadEnough: Bool { status == 0 || status == 128 + 13 }

        var description: String { status > 128 ? "was ended by signal \(status - 128)" : "ended with status \(status)" }
    }

    private var child = cweir_child_t()
    private var ending: Ending?
    private let start = Moment.now

    /// How long a program may take that was asked to end.
    private static let patience: Int64 = 2_000_000_000

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: What the shell is to run.
    ///   - writes: Whether its output is of interest, and not its input.
    /// - Throws: What the system says.
    init(_ command: String, writes: Bool) throws(SystemError) {
        guard let error = unsafe SystemError(cweir_child_start(command, writes, &child)) else { return }
        // There is nothing to end.
        ending = Ending(status: 0)
        throw error
    }

    deinit {
        if ending == nil { _ = end(by: .now) }
    }

    /// This side's end of the pipe; the caller closes it.
    var pipe: Int32 { child.pipe }

    /// How long it has been running, in nanoseconds.
    var age: Int64 { Moment.now.nanoseconds - start.nanoseconds }

    /// Asks it to end.
    func ask() {
        if ending == nil { unsafe cweir_child_signal(&child, false) }
    }

    /// Waits until it has ended; where that takes too long, it is asked to end, and then made to.
    ///
    /// What it has started and left behind in its process group is ended too.
    ///
    /// - Parameter deadline: Until when to wait before it is asked.
    /// - Returns: How it ended.
    func end(by deadline: Moment) -> Ending {
        if let ending { return ending }
        var limit = deadline
        var stage = 0
        var pause: Int64 = 500_000
        while true {
            let status = unsafe cweir_child_status(&child)
            if status >= 0 {
                let found = Ending(status: status, isForced: stage > 0)
                ending = found
                unsafe cweir_child_clean_up(&child)
                return found
            }
            if stage < 2, limit <= .now {
                unsafe cweir_child_signal(&child, stage == 1)
                stage += 1
                limit = .now + Self.patience
            }
            cweir_net_pause(pause)
            pause = min(pause * 2, 20_000_000)
        }
    }
}

/// What becomes of a program that ends; the raw value is the word of the option.
enum ProgramRestart: String, Sendable, CaseIterable {
    case never
    /// It is started again, unless its status is zero.
    case failure
    case always
}

/// A command, and when to run it again.
struct ProgramRuns: Sendable {
    let command: String
    private let restart: ProgramRestart
    private var backoff: Backoff
    private let longestPause: Int64

    init(_ command: String, restart: ProgramRestart, longestPause: Duration) {
        self.command = command
        self.restart = restart
        backoff = Backoff(longest: longestPause)
        self.longestPause = longestPause.inNanoseconds
    }

    /// Decides about another run.
    ///
    /// - Parameters:
    ///   - ending: How the last one ended.
    ///   - age: How long it took, in nanoseconds.
    /// - Returns: How long to wait before the next run, in nanoseconds; `nil` where there is none.
    mutating func pause(after ending: ChildProgram.Ending, age: Int64) -> Int64? {
        guard restart == .always || (restart == .failure && ending.status != 0) else { return nil }
        // One that ran for a while has not failed at once.
        if age > longestPause { backoff.reset() }
        return backoff.next()
    }

    /// How long to wait after the system could not start it, in nanoseconds.
    mutating func pauseAfterShortage() -> Int64 { backoff.next() }
}
