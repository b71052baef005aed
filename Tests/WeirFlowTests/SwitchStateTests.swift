import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirSequences
import WeirTesting

/// What follows a stream that has switched to another one, or was tried again.
@Suite struct SwitchStateTests {
    private struct Broken: Error {}

    /// History that is sent while the stream is attached, and then what is live.
    @Test func afterKnownValues() {
        let history = [9, 9].map { Labelled(timestamp: .epoch, value: $0) }
        #expect(
            RestoreTrials.difference { channel in
                Values(of: history).concat(channel).filter { $0.value < 9 }.scan(into: 0) { $0 += $1.value }
            } == nil
        )
        #expect(
            RestoreTrials.difference { channel in
                FailedStream<Labelled>(Broken()).catch { _ in channel.pairwise().map(\.1) }.scan(into: "") {
                    $0 += $1.label
                }
            } == nil
        )
    }

    /// A stream that switches later is found out, and not given another one's state.
    @Test func whatSwitchesLaterDoesNotFit() throws {
        func channels() -> (EventChannel<Labelled>, EventChannel<Labelled>) {
            let first = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            let second = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            first.concat(second).pairwise().subscribe { _ in }
            return (first, second)
        }
        let (first, second) = channels()
        first.publish(Labelled(timestamp: .epoch, value: 1))
        first.finish()
        second.publish(Labelled(timestamp: .epoch, value: 2))
        let checkpoint = try second.checkpoint()
        let other = channels().1
        #expect(throws: StateError.self) { try other.restore(checkpoint) }
        let report = try other.restore(checkpoint, droppingMismatches: true)
        #expect(report.dropped.map(\.name) == ["1/later", "1/pairwise"])
    }

    /// Each attempt has the place of the one before.
    @Test func attempts() {
        let difference = RestoreTrials.difference { channel in
            channel.tryMap { element in
                guard element.value != 3 else { throw Broken() }
                return element
            }.scan(into: 0) { $0 += $1.value }.retry(2).pairwise()
        }
        #expect(difference == nil)
        // Beside another sink, whose signals come in the same order afterwards.
        let beside = RestoreTrials.difference { channel in
            let found = Multicast<String>()
            channel.tryMap { element in
                guard element.value != 3 else { throw Broken() }
                return element.value
            }.retry(3).pairwise().subscribe { found.send("retried \($0)", at: .epoch) }
            channel.scan(into: 0) { $0 += $1.value }.subscribe { found.send("sum \($0)", at: .epoch) }
            return found
        }
        #expect(beside == nil)
    }
}
