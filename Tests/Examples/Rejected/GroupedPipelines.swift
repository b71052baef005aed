// What cannot be copied for each group does not compile in `grouped(by:)`.
import Weir

func rejectedPipelines(_ readings: EventChannel<Reading>) {
    let context = ExecutionContext.scheduler(Scheduler())
    // error: requires that 'Shared<Group<Reading, Int>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.share().pairwise() }
    // error: requires that 'Shared<Group<Reading, Int>>' conform to 'GroupableStream'
    _ = readings.grouped(by: { $0.id % 16 }, limit: 10) { $0.share() }
    // error: requires that 'CombineLatest<Group<Reading, Int>, EventChannel<Reading>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.combineLatest(readings) }
    // error: requires that 'Union<Group<Reading, Int>, EventChannel<Reading>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.union(readings) }
    // error: requires that 'Concat<Group<Reading, Int>, EventChannel<Reading>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.concat(readings) }
    // error: requires that 'Catch<Group<Reading, Int>, EventChannel<Reading>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.catch { _ in readings } }
    // error: requires that 'ReceivedOn<Group<Reading, Int>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.receive(on: context).map(\.x) }
    // error: requires that 'Grouped<Group<Reading, Int>, String, Group<Reading, String>>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.grouped(by: \.station, limit: 10) { $0 } }
    // error: (aka 'Matches<Group<Reading, Int>, Int, Reading>') conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { $0.matches(of: Pattern<Reading>.first { $0.x > 1 }) }
}

func rejectedFunction(_ readings: EventChannel<Reading>) {
    func jumps(of readings: some GroupableStream<Reading>) -> some EventStream<Reading> {
        readings.filter { $0.x > 5 }
    }
    // error: requires that 'some EventStream<Reading>' conform to 'GroupableStream'
    _ = readings.grouped(by: \.id, limit: 10) { jumps(of: $0) }
}
