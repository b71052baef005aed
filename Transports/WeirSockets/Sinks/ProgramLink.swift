internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// A link to the standard input of a program, which is started again when it ends.
///
/// What the program has not read when it ends is known exactly, and counted.
@safe
final class ProgramLink: OutgoingLink {
    private var runs: ProgramRuns
    private let address: String
    private let poller: Poller
    private let meter: TransportMeter
    private var program: ChildProgram?
    private var writer = StreamWriter(knowsTail: true)
    private var descriptor: Int32 = -1
    private var events = PollEvents()

    /// Whether any run has taken something.
    private var hasRun = false

    private static let token: UInt64 = 2

    /// How long a program may take to end that has closed its input.
    private static let patience: Int64 = 1_000_000_000

    /// Creates a link without a program.
    init(_ runs: ProgramRuns, poller: Poller, meter: TransportMeter, address: String) {
        self.runs = runs
        self.poller = poller
        self.meter = meter
        self.address = address
    }

    deinit {
        closePipe()
    }

    var isUp: Bool { descriptor >= 0 }
    var isProvenByOpening: Bool { true }
    var isFlushed: Bool { unflushedMessages == 0 }
    var unflushedMessages: UInt64 { writer.untakenMessages(descriptor) }

    func open() -> SystemError? {
        do throws(SystemError) {
            let started = try ChildProgram(runs.command, writes: false)
            program = started
            descriptor = started.pipe
            events = []
            writer.begin()
            guard let error = watch(.hangUp) else { return nil }
            close()
            return error
        } catch {
            return error
        }
    }

    func close() {
        closePipe()
        _ = program?.end(by: .now + Self.patience)
        program = nil
    }

    func finish(by deadline: Moment) {
        closePipe()
        guard let program else { return }
        let ending = program.end(by: deadline)
        self.program = nil
        if ending.isForced {
            meter.note("'\(address)': the command was made to end: it took longer than 'linger' permits")
        } else if ending.status != 0 {
            meter.note("'\(address)': the command \(ending)")
        }
    }

    private func closePipe() {
        if descriptor >= 0 { cweir_net_close(descriptor) }
        descriptor = -1
        events = []
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        guard isUp, ready.contains(.hangUp) else { return nil }
        return fail(Sending(.done))
    }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        var sending = writer.send(&batch, to: descriptor)
        switch sending.status {
        case .done: _ = watch(.hangUp)
        // What is not watched would be waited for for ever.
        case .blocked: if let error = watch([.hangUp, .writing]) { sending.status = .failed(LinkFailure(error)) }
        case .failed: sending = fail(sending)
        }
        return sending
    }

    /// Finds out how the program ended, and what it left.
    private func fail(_ sending: Sending) -> Sending {
        var sending = sending
        sending.refused += unflushedMessages
        hasRun = hasRun || (writer.hasSent && sending.refused == 0)
        closePipe()
        guard let program else { return sending }
        let ending = program.end(by: .now + Self.patience)
        let pause = ending.isUnknown && !hasRun ? nil : runs.pause(after: ending, age: program.age)
        self.program = nil
        let rest = sending.refused > 0 ? " before it had read \(sending.refused) of its messages" : ""
        var failure = LinkFailure("the command \(ending)\(rest)")
        failure.pause = pause
        failure.isFinal = pause == nil
        failure.hadEnough = ending.hadEnough
        sending.status = .failed(failure)
        return sending
    }

    private func watch(_ wanted: PollEvents) -> SystemError? {
        guard wanted != events, descriptor >= 0 else { return nil }
        if let error = poller.watch(descriptor, token: Self.token, from: events, to: wanted) { return error }
        events = wanted
        return nil
    }
}
