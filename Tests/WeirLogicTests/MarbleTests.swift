import Testing
import WeirCore
import WeirLogic
import WeirTesting

/// Negation, drawn: it fires exactly at the deadline, once.
@Suite struct MarbleTests {
    @Test func silencesEndAtTheirDeadline() {
        let beats = TestChannel<String>()
        let recorder = Recorder(beats.absent(for: .seconds(3)))
        beats.play("ab---^c----^---^|")
        let times = recorder.times.map { $0.nanosecondsSinceEpoch / 1_000_000_000 }
        #expect(times == [4, 9])
        #expect(recorder.elements.map(\.last) == ["b", "c"])
    }

    @Test func anElementAtTheDeadlineComesTooLate() {
        for (diagram, silences) in [("a-b^c-^|", []), ("a-b^-c-^|", ["b"])] as [(MarbleDiagram, [String])] {
            let beats = TestChannel<String>()
            let recorder = Recorder(beats.absent(for: .seconds(3)))
            beats.play(diagram)
            #expect(recorder.elements.map(\.last) == silences)
        }
    }

    @Test func unlessHoldsBackUntilTheDeadline() {
        let (orders, payments) = (TestChannel<String>(), TestChannel<String>())
        let recorder = Recorder(orders.unless(payments, within: .seconds(3)))
        MarbleLine.play(orders.line("a-b---^--^|"), payments.line("----x-^--^|"))
        #expect(recorder.difference(from: "---a|", ["a": "a"]) == nil)
    }
}
