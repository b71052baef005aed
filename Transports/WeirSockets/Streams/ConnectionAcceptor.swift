internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Makes the connections of a source: accepts them at a listener, connects to a place, or starts a program.
@safe
final class ConnectionAcceptor {
    private enum Kind {
        case listener(SocketListener)
        case place(SocketPlace, Backoff)
        case program(ProgramRuns, running: ChildProgram?)
    }

    private var kind: Kind
    private let address: String

    /// Whether any connection had something.
    private var hasRun = false

    /// How long a program may take to end that has closed its output.
    private static let programPatience: Int64 = 1_000_000_000

    /// Creates an acceptor of connections that others make.
    init(_ listener: SocketListener, address: String) {
        kind = .listener(listener)
        self.address = address
    }

    /// Creates an acceptor that connects to a place.
    init(connectingTo place: SocketPlace, longestPause: Duration, address: String) {
        kind = .place(place, Backoff(longest: longestPause))
        self.address = address
    }

    /// Creates an acceptor that runs a program.
    init(running runs: ProgramRuns, address: String) {
        kind = .program(runs, running: nil)
        self.address = address
    }

    /// Readable when a connection waits; `nil` where this side makes it.
    var descriptor: Int32? {
        guard case .listener(let listener) = kind else { return nil }
        return listener.descriptor
    }

    /// Whether its connections end by themselves once it was asked to stop.
    var endsConnections: Bool { if case .program = kind { true } else { false } }

    /// Makes the next connection.
    func next() -> SocketPlace.Attempt {
        switch kind {
        case .listener(let listener):
            let made = listener.accept()
            return SystemError(made).map { .failed($0) } ?? .made(made)
        case .place(let place, _): return place.connect(for: address)
        case .program(let runs, _):
            do throws(SystemError) {
                let program = try ChildProgram(runs.command, writes: true)
                kind = .program(runs, running: program)
                return .made(program.pipe)
            } catch {
                return .failed(error)
            }
        }
    }

    /// How long to wait after a failure, in nanoseconds.
    func pauseAfterFailure() -> Int64 {
        switch kind {
        case .listener: return 100_000_000
        case .place(let place, var backoff):
            let pause = backoff.next()
            kind = .place(place, backoff)
            return pause
        case .program(var runs, let running):
            let pause = runs.pauseAfterShortage()
            kind = .program(runs, running: running)
            return pause
        }
    }

    /// What follows the end of a connection.
    enum Sequel {
        /// Another one is accepted whenever it comes.
        case none
        /// Another one is made, after a number of nanoseconds.
        case again(Int64)
        /// There is none.
        case over
        case failed(TransportError)
    }

    /// Decides what follows a connection that has ended and was closed.
    ///
    /// - Parameters:
    ///   - hadBytes: Whether something came over it.
    ///   - meter: Takes a notice of how a program ended.
    /// - Returns: What follows.
    func sequel(hadBytes: Bool, _ meter: TransportMeter) -> Sequel {
        switch kind {
        case .listener: return .none
        case .place(let place, var backoff):
            backoff.reset()
            let pause = backoff.next()
            kind = .place(place, backoff)
            return .again(pause)
        case .program(var runs, let program):
            hasRun = hasRun || hadBytes
            guard let program else { return .over }
            let ending = program.end(by: .now + Self.programPatience)
            // A command that cannot be run at all will not be found later either.
            let pause = ending.isUnknown && !hasRun ? nil : runs.pause(after: ending, age: program.age)
            kind = .program(runs, running: nil)
            guard let pause else {
                return ending.status == 0
                    ? .over : .failed(.readFailed(address: address, reason: "the command \(ending)"))
            }
            meter.note("'\(address)': the command \(ending); it is started again")
            return .again(pause)
        }
    }

    /// Takes no more connections: removes the file of the listener, or asks the program to end.
    func stop() {
        switch kind {
        case .listener(let listener): listener.removeFile()
        case .place, .program(_, running: nil): break
        case .program(_, let program?): program.ask()
        }
    }

    /// Closes the listener, or ends the program.
    func close() {
        switch kind {
        case .listener(let listener): listener.close()
        case .place: break
        case .program(let runs, let program):
            _ = program?.end(by: .now)
            kind = .program(runs, running: nil)
        }
    }
}
