import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite struct MarbleDiagramTests {
    private func text(_ diagram: String, step: Duration = .nanoseconds(10)) throws -> [String] {
        let diagram = try MarbleDiagram(parsing: diagram)
        let names = Dictionary(uniqueKeysWithValues: "abcdefg12".map { ($0, String($0)) })
        return try diagram.signals(names, scale: MarbleScale(step: step)).map { signal in
            switch signal {
            case .element(let name, let time): "\(name)\(time.nanosecondsSinceEpoch)"
            case .watermark(let time): "^\(time.nanosecondsSinceEpoch)"
            case .completion(.finished): "|"
            case .completion(.failed(let error)): "\(error)"
            case .completion(.interrupted): "!"
            }
        }
    }

    @Test func eachCharacterHasItsMeaning() throws {
        #expect(try text("a-b|") == ["a0", "b20", "|"])
        #expect(try text("--(ab^)-c#") == ["a20", "b20", "^20", "c40", "#"])
        #expect(try text(" a - b ^ ") == ["a0", "b20", "^30"])
        #expect(try text("a{5}b{-2}c{3-1}d{3+4}^{9}") == ["a50", "b-20", "c29", "d34", "^90"])
        #expect(try text("12|--") == ["10", "210", "|"])
        #expect(try text("a!") == ["a0", "!"])
        #expect(try text("") == [])
        #expect(try MarbleDiagram(parsing: "a-(bc)--").columnCount == 5)
    }

    @Test(arguments: [
        ("a|b", 2, "nothing may follow the end"), ("(ab", 3, "the group is not closed"), ("a)", 1, "no group to close"),
        ("((a))", 1, "cannot be nested"), ("()", 1, "needs a signal"), ("(a-b)", 2, "within a group"),
        ("{3}", 0, "a time must follow"), ("a-{3}", 2, "a time must follow"), ("a{3", 1, "not closed"),
        ("a{x}", 1, "a time is a column"), ("a{1-}", 1, "a time is a column"), ("a}", 1, "no time to close"),
        ("|{2}", 1, "a time must follow"), ("a{}", 1, "a time is a column"),
    ])
    func badDiagramsAreRefused(diagram: String, position: Int, reason: String) {
        let error = #expect(throws: MarbleError.self) { try MarbleDiagram(parsing: diagram) }
        guard case .invalidDiagram(_, let found, let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == position && message.contains(reason), "\(message) at \(found)")
        #expect(error?.description == "in '\(diagram)' at \(position): \(message)")
    }

    @Test func timesBeyondAllTimeAreTheFirstOrTheLast() throws {
        let times = try text("a{9223372036854775807}b{-9223372036854775808-1}c{1+9223372036854775807}")
        #expect(times == ["a\(Int64.max)", "b\(Int64.min)", "c\(Int64.max)"])
    }

    @Test func errorsAreOneLine() {
        let error = #expect(throws: MarbleError.self) { try MarbleDiagram(parsing: "a\n\u{1B}[31m(") }
        #expect(error?.description == "in 'a\u{FFFD}\u{FFFD}[31m(' at 8: the group is not closed")
    }

    @Test func namesNeedValues() throws {
        #expect(throws: MarbleError.unknownElement("x", diagram: "ax")) {
            try MarbleDiagram(parsing: "ax").signals(["a": 1])
        }
    }
}

@Suite struct TestChannelTests {
    @Test func whatIsPlayedIsRecorded() {
        for diagram in ["a--b-(cd)|", "(ab)c#", "a-b", "a^--^b|", "a{7}b{3-1}|", "--a", "(a^b)|", "-|"] {
            let channel = TestChannel<String>()
            let recorder = Recorder(channel)
            channel.play(MarbleDiagram(stringLiteral: diagram))
            let difference = recorder.difference(from: MarbleDiagram(stringLiteral: diagram))
            #expect(difference == nil)
        }
    }

    @Test func differencesAreDrawn() throws {
        let channel = TestChannel<Int>()
        let recorder = Recorder(channel)
        let values: [Character: Int] = ["a": 1, "b": 2, "c": 3]
        channel.play("a--c(ab)-^b{9-1}|", values)
        let difference = try #require(recorder.difference(from: "a--b|", values))
        #expect(
            difference.description == """
                signal 1: expected b at column 3, but got c at column 3
                  expected  a--b|
                  recorded  a--c(ab)b{9-1}|
                """
        )
        #expect(recorder.difference(from: "a--c(ab)--b{9-1}|", values) == nil)
        #expect(recorder.difference(from: "a--c(ab)-^b{9-1}|", values) == nil)
        let more = try #require(recorder.difference(from: "a--c(ab)--b{9-1}c|", values))
        #expect(more.summary == "signal 5: expected c at column 8, but got the end")
        let watermark = try #require(recorder.difference(from: "a--c(ab)--b{9-1}|", values, includingWatermarks: true))
        #expect(watermark.summary == "signal 4: expected b 1 ns before column 9, but got the watermark at column 6")
        channel.send(.element(7, .epoch))
        let other = TestChannel<Int>()
        let unnamed = Recorder(other)
        other.send(7, atColumn: 2)
        #expect(unnamed.difference(from: "|", values)?.recorded == "--?")
        #expect(unnamed.difference(from: "--a", values)?.summary.contains("7, which has no name, at column 2") == true)
    }

    @Test func linesArePlayedColumnByColumn() {
        let (left, right) = (TestChannel<String>(), TestChannel<String>())
        let order = Recorder<String>()
        left.subscribe { [sink = order.sink] in
            var sink = sink
            sink.receive("left \($0)", at: .epoch)
        }
        right.subscribe { [sink = order.sink] in
            var sink = sink
            sink.receive("right \($0)", at: .epoch)
        }
        MarbleLine.play(left.line("a-(bc)-|"), right.line("-xy---z|"))
        #expect(order.elements == ["left a", "right x", "left b", "left c", "right y", "right z"])
    }

    @Test func theClockFollowsTheColumns() {
        let clock = VirtualClock()
        let channel = TestChannel<String>(scale: MarbleScale(step: .milliseconds(5)))
        let times = Recorder<Timestamp>()
        channel.subscribe { [sink = times.sink] _ in
            var sink = sink
            sink.receive(clock.now(), at: .epoch)
        }
        channel.play("a--b(cd)--", moving: clock)
        #expect(times.elements.map(\.nanosecondsSinceEpoch) == [0, 15_000_000, 20_000_000, 20_000_000])
        #expect(clock.now() == Timestamp(millisecondsSinceEpoch: 30))
    }

    @Test func aClockThatIsMovedOnTheWayDoesNotGoBack() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        try scheduler.schedule(at: Timestamp(secondsSinceEpoch: 1)) { _ in clock.advance(by: .seconds(9)) }
        clock.advance(by: .seconds(2))
        #expect(clock.now() == Timestamp(secondsSinceEpoch: 10))
    }

    @Test func whatComesLateSeesTheEnd() {
        let channel = TestChannel<String>()
        channel.play("ab|")
        #expect(Recorder(channel).difference(from: "|") == nil)
    }
}
