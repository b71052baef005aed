internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// Numbers that are missing in what a stream hands out, while the stream is asked why.
struct NATSGap {
    /// The first of them.
    let first: UInt64

    /// Until when an answer is waited for.
    let deadline: Moment

    /// What was counted before the message behind them.
    let tally: NATSSource.Tally
}

// What a stream removes before it was read: its limits were reached, or its messages grew too old.
//
// A consumer passes over what is not there any more, and says nothing. Numbers are missing also where single messages were
// removed, or where each subject keeps its last ones, so the stream is asked where it begins: behind the first number that
// is missing, it has removed what was not read yet. Where that is certain, nothing that comes behind is handed out before the
// answer.
extension NATSSource {
    /// How long after a look the next one is taken where messages of other subjects are missing too, in nanoseconds.
    private static let pauseOfLooks: Int64 = 1_000_000_000

    /// Fails where the stream has removed what was not read yet.
    func checkRetention(_ stream: JetStreamStream) throws(NATSError) {
        guard nextSequence > stream.last + 1 || stream.first > nextSequence else { return }
        guard nextSequence <= stream.last + 1 else {
            throw NATSError(
                .unsendable,
                "the stream '\(stream.name)' ends with message \(stream.last), and \(nextSequence - 1) were read"
            )
        }
        try noteLoss(stream, from: nextSequence)
        nextSequence = stream.first
    }

    /// Fails where what was removed is certain to be of the subject, and says so where it may be.
    private func noteLoss(_ stream: JetStreamStream, from first: UInt64) throws(NATSError) {
        let words =
            "the stream '\(stream.name)' begins with message \(stream.first), and the last one read is \(first - 1)"
        // Of other subjects, what was removed may all have been of those.
        guard !readsAll else {
            throw NATSError(.unsendable, "\(words): \(stream.first - first) were removed before they were read")
        }
        guard !saidThatSomeWereRemoved else { return }
        saidThatSomeWereRemoved = true
        counter.note("'\(address)': \(words); some of '\(settings.subject)' may be among those that were removed")
    }

    /// Whether what came last waits until the stream has said why numbers before it are missing.
    var isHeld: Bool { readsAll && gap != nil }

    /// Where the stream's answer goes.
    var gapInbox: String { "\(client.inbox).pull.stream" }

    /// Notes that numbers are missing before the message that has just come, and asks the stream why.
    func noteGap() {
        let now = Moment.now
        // What is asked already is asked for all that are missing since.
        guard readsAll ? gap == nil : nextLook <= now, let stream = consumer?.stream else { return }
        nextLook = now + Self.pauseOfLooks
        gap = NATSGap(first: nextSequence, deadline: now + client.settings.timeout.inNanoseconds, tally: tally)
        do throws(NATSError) {
            try client.connection.say { words throws(NATSError) in
                try words.publish("$JS.API.STREAM.INFO.\(stream)", reply: gapInbox, [])
            }
        } catch {
            failure = error
        }
    }

    /// Handles what the stream says.
    func takeGapAnswer(_ message: NATSFrame.Message) {
        guard let gap else { return }
        do throws(NATSError) {
            let stream = try NATSClient.stream(JetStreamAnswer(client.copy(message), to: "the stream"))
            // Otherwise they were removed one by one, or are of other subjects.
            if stream.first > gap.first { try noteLoss(stream, from: gap.first) }
            self.gap = nil
        } catch {
            let isCertain = error.kind == .unsendable
            if isCertain { goBackBeforeGap() }
            failure = isCertain ? error : NATSError(.disconnected, error.reason)
        }
    }

    /// Fails where the stream does not answer.
    func checkGap() {
        guard isHeld, let gap, gap.deadline <= .now else { return }
        failure = NATSError(.late, "the stream does not say within \(client.settings.timeout) why messages are missing")
    }

    /// Forgets what came behind the numbers that are missing: it is asked for again, or never handed out.
    func goBackBeforeGap() {
        guard let gap else { return }
        self.gap = nil
        guard readsAll else { return }
        stage.removeAll(behind: gap.first - 1)
        nextSequence = gap.first
        tally = gap.tally
    }
}
