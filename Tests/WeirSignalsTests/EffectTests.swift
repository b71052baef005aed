import Testing
import WeirSignals

/// Effects: run for each value, and end what the run before has begun.
@Suite struct EffectTests {
    private final class Owner {}

    @Test func theExampleRunsForSeveralSignals() {
        let (city, unit, wind) = (MutableSignal("Ghent"), MutableSignal("C"), MutableSignal(3))
        var said: [String] = []
        let effect = combine(city, unit).effect { shown, scope in
            said.append("start \(shown.0) \(shown.1)")
            scope.onEnd { said.append("end \(shown.0) \(shown.1)") }
            wind.observe { said.append("wind \($0) in \(shown.0)") }.store(in: scope.observations)
        }
        wind.value = 4
        city.value = "Ghent"
        transaction {
            city.value = "Lima"
            unit.value = "F"
        }
        wind.value = 5
        effect.cancel()
        effect.cancel()
        wind.value = 6
        unit.value = "C"
        #expect(
            said == [
                "start Ghent C", "wind 4 in Ghent", "end Ghent C", "start Lima F", "wind 5 in Lima", "end Lima F",
            ]
        )
    }

    @Test func whatElseIsReadDoesNotRunIt() {
        let (shown, read) = (MutableSignal(1), MutableSignal(10))
        var seen: [Int] = []
        shown.effect { value, _ in seen.append(value + read()) }
        read.value = 20
        shown.value = 2
        #expect(seen == [11, 22])
    }

    @Test func effectsWithinEndFirstAndClosuresInReverseOrder() {
        let (outer, inner) = (MutableSignal(1), MutableSignal("a"))
        var said: [String] = []
        let effect = outer.effect { number, scope in
            scope.onEnd { said.append("first of \(number)") }
            inner.effect { text, scope in
                said.append("\(number)\(text)")
                scope.onEnd { said.append("no \(number)\(text)") }
            }.store(in: scope.observations)
            scope.onEnd { said.append("second of \(number)") }
        }
        inner.value = "b"
        outer.value = 2
        inner.value = "c"
        effect.cancel()
        inner.value = "d"
        #expect(
            said == [
                "1a", "no 1a", "1b", "no 1b", "second of 1", "first of 1", "2b", "no 2b", "2c", "no 2c", "second of 2",
                "first of 2",
            ]
        )
    }

    @Test func anOwnerThatHasGoneEndsIt() {
        let root = MutableSignal(1)
        var said: [String] = []
        var owner: Owner? = Owner()
        let effect = root.effect(owner: owner) { value, scope in
            said.append("\(value)")
            scope.onEnd { said.append("end \(value)") }
        }
        owner = nil
        root.value = 2
        root.value = 3
        #expect(said == ["1", "end 1"] && effect.isCancelled && owner == nil)
    }

    @Test func itCanCancelItself() {
        let root = MutableSignal(1)
        var said: [String] = []
        var effect: SignalObservation?
        effect = root.effect { value, scope in
            scope.onEnd { said.append("end \(value)") }
            guard value == 2 else { return }
            effect?.cancel()
            // It was cancelled in the meantime.
            scope.onEnd { said.append("at once") }
            root.observe { said.append("observed \($0)") }.store(in: scope.observations)
        }
        root.value = 2
        root.value = 3
        effect = nil
        root.value = 4
        #expect(said == ["end 1", "end 2", "at once"])
    }

    @Test func aValueThatIsNotComparedRunsItEachTime() {
        struct Plain { let number: Int }
        let root = MutableSignal(1)
        let plain = root.map { Plain(number: $0 / 10) }
        var said: [Int] = []
        plain.effect { value, scope in
            said.append(value.number)
            scope.onEnd { said.append(-1) }
        }
        root.value = 2
        root.value = 12
        #expect(said == [0, -1, 0, -1, 1])
    }

    /// The call goes on after the one that it has caused, and what it begins then is over.
    @Test func aCallCanSetItsSignal() {
        let root = MutableSignal(1)
        var said: [String] = []
        let effect = root.effect { value, scope in
            said.append("\(value)")
            if value % 10 < 3 { root.value = value + 1 }
            scope.onEnd { said.append("end \(value)") }
        }
        #expect(said == ["1", "2", "end 2", "3", "end 1"])
        said = []
        effect.cancel()
        #expect(said == ["end 3"])
    }
}
