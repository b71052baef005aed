import Testing
import WeirSockets

@testable import WeirNATS

/// In virtual time.
@Suite struct StreamWatchTests {
    private static func moment(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

    private static func answer(_ json: String) -> NATSMessage {
        NATSMessage(subject: "", reply: nil, headers: nil, payload: Array(json.utf8))
    }

    private static let missing = answer(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#)
    private static let busy = answer(#"{"error":{"code":503,"err_code":10008,"description":"unavailable"}}"#)

    private static func there(_ subject: String) -> NATSMessage {
        answer(#"{"config":{"name":"S","subjects":["\#(subject)"]},"state":{"first_seq":1,"last_seq":0}}"#)
    }

    /// A watch that is in doubt, and asks.
    private static func asking() -> StreamWatch {
        var watch = StreamWatch("S", subject: "in.*", timeout: .seconds(5))
        watch.noteSilence()
        let asks = watch.noteConnection(moment(0))
        #expect(asks && watch.isAsking && watch.deadline == moment(5))
        return watch
    }

    private static func kind(
        _ watch: inout StreamWatch,
        _ answer: NATSMessage,
        at seconds: Int64
    ) -> NATSError.Kind? {
        error(&watch, answer, at: seconds)?.kind
    }

    private static func error(_ watch: inout StreamWatch, _ answer: NATSMessage, at seconds: Int64) -> NATSError? {
        do throws(NATSError) { try watch.take(answer, moment(seconds)) } catch { return error }
        return nil
    }

    @Test func aStreamIsAskedForOnlyInDoubt() {
        var watch = StreamWatch("S", subject: "in.*", timeout: .seconds(5))
        var asks = watch.noteConnection(Self.moment(0))
        #expect(!asks && !watch.isAsking && watch.deadline == nil)
        watch = Self.asking()
        watch.checkTime(Self.moment(4))
        #expect(watch.isAsking)
        // An answer that does not come keeps nobody.
        watch.checkTime(Self.moment(5))
        #expect(!watch.isAsking)
        asks = watch.noteConnection(Self.moment(6))
        #expect(asks)
        watch.noteConfirmation()
        asks = watch.noteConnection(Self.moment(7))
        #expect(!asks)
    }

    @Test func aStreamThatIsMissingForLongIsGone() {
        var watch = Self.asking()
        for seconds in [1, 10, 30] as [Int64] {
            let kind = Self.kind(&watch, Self.missing, at: seconds)
            #expect(kind == .noResponders && !watch.isAsking)
        }
        let error = Self.error(&watch, Self.missing, at: 31)
        #expect(error?.isMissing == true && error?.isTransient == false)
        #expect(
            error?.reason
                == "there is no stream 'S'; make one: nats stream add S --subjects 'in.*' --defaults; "
                + "it has been missing for 30.0 seconds"
        )
    }

    @Test func electionsAndBrokenConnectionsAreOfAMoment() {
        var watch = Self.asking()
        var kind = Self.kind(&watch, Self.missing, at: 1)
        #expect(kind == .noResponders)
        kind = Self.kind(&watch, Self.busy, at: 20)
        #expect(kind == nil)
        kind = Self.kind(&watch, Self.missing, at: 32)
        #expect(kind == .noResponders)
        watch.noteDisconnection()
        kind = Self.kind(&watch, Self.missing, at: 63)
        #expect(kind == .noResponders)
        kind = Self.kind(&watch, Self.there("in.>"), at: 94)
        #expect(kind == nil)
        kind = Self.kind(&watch, Self.missing, at: 95)
        #expect(kind == .noResponders)
        // Nobody answers at all.
        kind = Self.kind(&watch, Self.answer(""), at: 126)
        #expect(kind == nil)
        kind = Self.kind(&watch, Self.missing, at: 127)
        #expect(kind == .noResponders)
    }

    @Test func aStreamThatTakesSomethingElseIsSaid() {
        var watch = Self.asking()
        let kind = Self.kind(&watch, Self.there("out"), at: 1)
        #expect(kind == .noResponders)
        let error = Self.error(&watch, Self.there("out"), at: 31)
        #expect(error?.kind == .unsendable && error?.reason == "the stream 'S' does not take 'in.*', but 'out'")
    }
}
