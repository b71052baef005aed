import TestStreams
import Testing
import WeirCore
import WeirSignals
import WeirTesting

@Suite struct SignalStateTests {
    private struct Graph: SignalSources {
        let base = MutableSignal(1, named: "base")
        let label = MutableSignal("a", named: "label")
        let text: Signal<String>

        init() {
            let (base, label) = (base, label)
            text = Signal { "\(label()) \(base())" }
        }

        func exchangeState(_ state: inout StateExchange) throws(StateError) {
            try base.exchangeState(&state)
            try label.exchangeState(&state)
        }
    }

    /// Sources get their values, what is derived is computed, and nobody is told of what is no change.
    @Test func sourcesAreRestored() throws {
        let first = Graph()
        first.base.value = 7
        first.label.value = "é"
        let checkpoint = try Checkpoint(bytes: try Checkpoint(of: first).bytes)
        let second = Graph()
        var told: [String] = []
        let observation = second.text.observe { told.append($0) }
        let recorder = Recorder(second.text.changes)
        let mirror = ObservableSignal(second.text)
        let report = try checkpoint.restore(to: second)
        #expect(report.isComplete && report.restoredCount == 2)
        #expect(second.text() == "é 7")
        #expect(told.isEmpty && recorder.elements.isEmpty && mirror.value == "é 7")
        second.base.value = 8
        #expect(told == ["é 8"] && recorder.elements == ["é 8"] && mirror.value == "é 8")
        #expect(try Checkpoint(of: second).bytes != checkpoint.bytes)
        second.base.value = 7
        #expect(try Checkpoint(of: second).bytes == checkpoint.bytes)
        observation.cancel()
    }

    /// The effect of the value before goes, though what is restored is no change; an equal value has its effect already.
    @Test func effectsFollowWhatIsRestored() throws {
        let first = Graph()
        first.base.value = 7
        let checkpoint = try Checkpoint(of: first)
        let second = Graph()
        var said: [String] = []
        second.base.effect { value, scope in
            said.append("\(value)")
            scope.onEnd { said.append("end \(value)") }
        }
        second.label.effect { value, _ in said.append(value) }
        try checkpoint.restore(to: second)
        #expect(said == ["1", "a", "end 1", "7"])
    }

    /// No expression sees one restored source beside one that is not.
    @Test func expressionsSeeAllOrNothing() throws {
        let first = Graph()
        first.base.value = 7
        first.label.value = "b"
        let checkpoint = try Checkpoint(of: first)
        let second = Graph()
        var seen: [String] = []
        let both = Signal { () -> String in
            seen.append("\(second.label()) \(second.base())")
            return seen[seen.count - 1]
        }
        try checkpoint.restore(to: second)
        #expect(both() == "b 7")
        #expect(seen == ["a 1", "b 7"])
    }

    @Test func aGraphIsNotSavedInTheMiddle() throws {
        let graph = Graph()
        var errors = 0
        func save() {
            do throws(StateError) { _ = try Checkpoint(of: graph) } catch {
                if case .busy = error { errors += 1 }
            }
        }
        transaction { save() }
        let observation = graph.base.observe { _ in save() }
        graph.base.value = 3
        #expect(errors == 2)
        observation.cancel()
        save()
        #expect(errors == 2)
    }

    @Test func whatHasOtherTypesDoesNotFit() throws {
        let checkpoint = try Checkpoint(of: MutableSignal(1, named: "limit"))
        #expect(throws: StateError.self) { try checkpoint.restore(to: MutableSignal("1", named: "limit")) }
        #expect(throws: StateError.self) { try checkpoint.restore(to: MutableSignal(1, named: "other")) }
        let other = MutableSignal("1", named: "limit")
        let report = try checkpoint.restore(droppingMismatches: true, to: other)
        #expect(report.changed.map(\.name) == ["signal limit/value"] && other() == "1")
    }

    /// What a stream hosts goes on: the latest element, and what observers have counted.
    private struct Counts: SignalSources {
        let seen = MutableSignal(0, named: "seen")

        func exchangeState(_ state: inout StateExchange) throws(StateError) { try seen.exchangeState(&state) }
    }

    @Test func hostedSignalsGoOn() {
        let difference = RestoreTrials.difference { channel in
            let found = Multicast<String>()
            channel.hostSignals(initial: Labelled(timestamp: .epoch, value: 0)) { latest, bag -> Counts in
                let counts = Counts()
                let value = latest.map(\.value)
                value.observe { value in
                    counts.seen.update { $0 += 1 }
                    found.send("value \(value)", at: .epoch)
                }.store(in: bag)
                counts.seen.observe { found.send("seen \($0)", at: .epoch) }.store(in: bag)
                return counts
            }
            return found
        }
        #expect(difference == nil)
    }
}
