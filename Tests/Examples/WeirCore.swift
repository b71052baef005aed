import WeirCore

let event = Reading()
func handle(_ reading: Reading) {}
func handle(_ next: Int) {}
struct Merged<First: EventStream, Second: EventStream> where First.Element == Second.Element {
    typealias Element = First.Element
    let first: First
    let second: Second
}
// They are not run, so they need no values.
nonisolated(unsafe) var producer: RingProducer<Int> = { fatalError() }()
nonisolated(unsafe) var consumer: RingConsumer<Int> = { fatalError() }()
let elements = [1, 2, 3]
nonisolated(unsafe) var sum = 0
nonisolated(unsafe) var dropped = 0
func reject(_ reading: Reading) {}
func next() -> Int { 0 }

struct Doubled<Upstream: EventStream<Reading>>: EventStream {
    typealias Element = Reading
    let upstream: Upstream
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Reading { upstream.attach(sink) }
}
let bag = SubscriptionBag()
func save(_ bytes: [UInt8]) throws {}
func load() throws -> [UInt8] { [] }
let checkpoint: Checkpoint = { fatalError() }()
