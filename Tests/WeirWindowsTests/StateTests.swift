import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirSelection
import WeirTesting
import WeirWindows

@Suite struct StateTests {
    /// Aggregates of all kinds: those that are folded, merged, inverted and selected take different ways.
    private func check<Windows: WindowedStream>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ windows: (EventChannel<Labelled>) -> Windows
    ) where Windows.Input == Labelled {
        #expect(RestoreTrials.difference { windows($0).count() } == nil, sourceLocation: sourceLocation)
        #expect(RestoreTrials.difference { windows($0).max(of: \.label) } == nil, sourceLocation: sourceLocation)
        #expect(
            RestoreTrials.difference { windows($0).mean(of: { Double($0.value) / 3 }) } == nil,
            sourceLocation: sourceLocation
        )
        #expect(
            RestoreTrials.difference { windows($0).aggregate(Collected<Labelled>()) } == nil,
            sourceLocation: sourceLocation
        )
        #expect(
            RestoreTrials.difference { windows($0).aggregate(PlainSum()) } == nil,
            sourceLocation: sourceLocation
        )
    }

    /// An aggregate that can only be folded.
    private struct PlainSum: Aggregate {
        var sum = 0
        mutating func add(_ element: borrowing Labelled, at time: Timestamp) { sum = sum &* 3 &+ element.value }
        mutating func result() -> Int { sum }
        mutating func exchangeState(_ state: inout StateExchange) throws(StateError) { try state.exchange(&sum) }
    }

    private static let emissions: [Emission] = [
        .onClose, .onEveryElement, .every(.milliseconds(3)),
    ]

    @Test func tumbling() {
        for emission in Self.emissions {
            check { $0.tumbling(.milliseconds(4), emit: emission) }
            check { $0.tumbling(.milliseconds(4), allowedLateness: .milliseconds(2), emit: emission) }
        }
        check { $0.tumbling(.milliseconds(4), startingAt: .firstElement) }
        check { $0.watermarks(lag: .milliseconds(2)).tumbling(.milliseconds(3)) }
    }

    @Test func hopping() {
        for emission in Self.emissions {
            check { $0.hopping(.milliseconds(6), every: .milliseconds(4), emit: emission) }
        }
        check {
            $0.hopping(
                .milliseconds(6),
                every: .milliseconds(2),
                startingAt: .firstElement,
                allowedLateness: .milliseconds(3)
            )
        }
    }

    @Test func counting() {
        for emission in Self.emissions { check { $0.tumbling(count: 3, emit: emission) } }
        check { $0.hopping(count: 4, every: 3) }
        check { $0.sliding(count: 3) }
    }

    @Test func sliding() {
        check { $0.sliding(.milliseconds(4), limit: 5) }
    }

    @Test func sessions() {
        for emission in Self.emissions { check { $0.sessions(gap: .milliseconds(2), emit: emission) } }
    }

    @Test func others() {
        let (start, end) = (Timestamp(millisecondsSinceEpoch: 3), Timestamp(millisecondsSinceEpoch: 15))
        check { $0.fixed(from: start, to: end) }
        check { $0.landmark(from: start, emit: .every(.milliseconds(3))) }
        check { $0.landmark(when: { $0.value == 2 }, emit: .onEveryElement) }
        check { $0.windows(opensWhen: { $0.value == 1 }, closesWhen: { $0.value == 3 }) }
        check { $0.windows(on: Blocks(size: 5_000_000)) }
        #expect(RestoreTrials.difference { $0.tumbling(.milliseconds(4)).count().having { $0 > 2 } } == nil)
    }

    @Test func counts() {
        let difference = RestoreTrials.difference { channel in
            let windows = channel.tumbling(.milliseconds(4), limit: WindowLimit(windows: 2, elements: 4))
            return Counted(windows.aggregate(Collected<Labelled>()), windows.late, windows.refused)
        }
        #expect(difference == nil)
    }

    /// Emits with each result what the side outputs have counted.
    private struct Counted<Upstream: EventStream>: EventStream {
        typealias Element = String
        let upstream: Upstream
        let late: SideOutput<Labelled>
        let refused: SideOutput<Labelled>

        init(_ upstream: Upstream, _ late: SideOutput<Labelled>, _ refused: SideOutput<Labelled>) {
            self.upstream = upstream
            self.late = late
            self.refused = refused
        }

        func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == String {
            let (late, refused) = (late, refused)
            return upstream.map { "\($0), \(late.count) late, \(refused.count) refused" }.attach(sink)
        }
    }

    @Test func settingsThatFieldsDependOn() throws {
        let old = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        old.tumbling(.milliseconds(4)).count().subscribe { _ in }
        let new = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        new.tumbling(.milliseconds(5)).count().subscribe { _ in }
        let report = try new.restore(try old.checkpoint(), droppingMismatches: true)
        #expect(report.changed.count == 1)
    }
}
