import Dispatch
import Synchronization
import Testing
import WeirCore
import WeirRecords
import WeirTesting

@Suite struct EventChannelStressTests {
    struct Numbered: Event {
        let timestamp = Timestamp.epoch
        let publisher: Int
        let number: Int
    }

    /// Breaks the two rules that a channel promises (one thread at a time, order per publisher) where it can see it.
    struct Auditor: Sink {
        final class Report: Sendable {
            let inside = Atomic<Int>(0)
            let received = Atomic<Int>(0)
            let violations = Atomic<Int>(0)
        }

        let report: Report
        var next: [Int]

        mutating func receive(_ element: borrowing Numbered, at time: Timestamp) {
            if report.inside.wrappingAdd(1, ordering: .relaxed).newValue != 1 {
                report.violations.wrappingAdd(1, ordering: .relaxed)
            }
            if element.number < next[element.publisher] { report.violations.wrappingAdd(1, ordering: .relaxed) }
            next[element.publisher] = element.number + 1
            report.received.wrappingAdd(1, ordering: .relaxed)
            report.inside.wrappingSubtract(1, ordering: .relaxed)
        }

        mutating func advance(to watermark: Timestamp) {}
        mutating func finish(_ completion: Completion) {}
    }

    @Test(arguments: [OverflowPolicy.block, .dropNewest, .dropOldest, .latest])
    func manyPublishersLoseNothingButWhatIsCounted(policy: OverflowPolicy) {
        let publishers = 4
        let events = 20_000
        let channel = EventChannel<Numbered>(capacity: 64, overflowPolicy: policy)
        let report = Auditor.Report()
        channel.attach(Auditor(report: report, next: Array(repeating: 0, count: publishers)))
        let refused = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: publishers) { publisher in
            for number in 0..<events where !channel.publish(Numbered(publisher: publisher, number: number)) {
                refused.wrappingAdd(1, ordering: .relaxed)
            }
        }
        let received = report.received.load(ordering: .relaxed)
        #expect(report.violations.load(ordering: .relaxed) == 0)
        #expect(received + Int(channel.metrics.dropped) == publishers * events)
        #expect(channel.metrics.waiting == 0)
        if policy == .block { #expect(channel.metrics.dropped == 0) }
        if policy == .dropNewest { #expect(Int(channel.metrics.dropped) == refused.load(ordering: .relaxed)) }
    }

    @Test func sinksComeAndGoWhileOthersPublish() {
        let channel = EventChannel<Numbered>(capacity: 256)
        let report = Auditor.Report()
        channel.attach(Auditor(report: report, next: [0, 0]))
        let events = 20_000
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            if worker < 2 {
                for number in 0..<events { channel.publish(Numbered(publisher: worker, number: number)) }
            } else {
                for _ in 0..<2_000 {
                    let count = Atomic<Int>(0)
                    let subscription = channel.subscribe { _ in count.wrappingAdd(1, ordering: .relaxed) }
                    subscription.cancel()
                }
            }
        }
        #expect(report.violations.load(ordering: .relaxed) == 0)
        #expect(report.received.load(ordering: .relaxed) == 2 * events)
    }

    @Test func theEndComesOnceAndLast() {
        for _ in 0..<200 {
            let channel = EventChannel<Numbered>(capacity: 16)
            let recorder = Recorder(channel)
            DispatchQueue.concurrentPerform(iterations: 3) { worker in
                if worker == 2 {
                    channel.finish()
                } else {
                    for number in 0..<20 { channel.publish(Numbered(publisher: worker, number: number)) }
                }
            }
            // The recorder traps when anything follows the completion.
            #expect(recorder.isFinished)
            #expect(recorder.elements.count + Int(channel.metrics.dropped) == 40)
        }
    }
}
