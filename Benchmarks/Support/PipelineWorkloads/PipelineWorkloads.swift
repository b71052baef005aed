internal import CommonStream
public import Comparing
internal import WeirCore

/// Pipelines of operators beside hand-written loops, over ten million events of the common stream in an array.
public enum PipelineWorkloads {
    public static let suite = Suite(
        "pipelines",
        [
            loop("W1", .runningSum, CommonStream.Loops.runningSum),
            pipeline("W1", "batches of 256", .runningSum, goal: .ratio(atMost: 2.5)) {
                RunningSum.throughChannel($0, publishInBatches)
            },
            pipeline("W1", "one by one", .runningSum, goal: .ratio(atMost: 5)) {
                RunningSum.throughChannel($0, publishOneByOne)
            },
            loop("P2", .jumps, CommonStream.Loops.jumps),
            pipeline("P2", "batches of 256", .jumps, goal: .ratio(atMost: 4)) {
                Jumps.throughChannel($0, publishInBatches)
            },
            pipeline("P2", "one by one", .jumps) {
                Jumps.throughChannel($0, publishOneByOne)
            },
        ],
        setUp: { _ = CommonStream.tenMillionEvents }
    )

    private static func loop(
        _ name: String,
        _ reference: Tally,
        _ body: @escaping @Sendable ([StreamEvent]) -> Tally
    ) -> Workload {
        Workload("\(name), loop", in: .nanosecondsPerElement) { try measure(reference, body) }
    }

    private static func pipeline(
        _ name: String,
        _ publishing: String,
        _ reference: Tally,
        goal: Workload.Goal? = nil,
        _ body: @escaping @Sendable ([StreamEvent]) -> Tally
    ) -> Workload {
        Workload("\(name), \(publishing)", in: .nanosecondsPerElement, against: "\(name), loop", goal: goal) {
            try measure(reference, body)
        }
    }

    private static func measure(_ reference: Tally, _ body: ([StreamEvent]) -> Tally) throws -> Double {
        let events = CommonStream.tenMillionEvents
        var tally = Tally()
        let cost = nanoseconds(per: events.count) { tally = body(events) }
        guard tally.agrees(with: reference) else { throw WrongResult(tally, insteadOf: reference) }
        return cost
    }
}

extension Tally {
    fileprivate static let runningSum = CommonStream.Reference.runningSum
    fileprivate static let jumps = CommonStream.Reference.jumps
}

/// Hands the events of an array to a channel.
typealias Publish = (_ events: [StreamEvent], _ channel: EventChannel<StreamEvent>) -> Void

func publishInBatches(_ events: [StreamEvent], _ channel: EventChannel<StreamEvent>) {
    channel.publish(inBatches: ContiguousArray(events).span)
}

@inline(never)
func publishOneByOne(_ events: [StreamEvent], _ channel: EventChannel<StreamEvent>) {
    for event in events { channel.publish(event) }
}
