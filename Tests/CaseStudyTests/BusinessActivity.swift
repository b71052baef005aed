import Testing
import Weir

struct ShopEvent: Event, Equatable {
    enum Kind: Sendable { case ordered, paid, shipped, complained }
    let timestamp: Timestamp
    let order: Int
    let kind: Kind
}

/// Orders that were paid and not shipped within a day.
func overdueOrders(in events: some EventStream<ShopEvent>) -> some EventStream<Int> {
    let overdue = Pattern<ShopEvent>.first { $0.kind == .paid }.notFollowedBy { $0.kind == .shipped }
        .within(.seconds(86_400)).grouped(by: \.order)
    return events.matches(of: overdue).map(\.order)
}

/// Hours with more than a complaint for every ten orders, and their number.
func badHours(in events: some EventStream<ShopEvent>) -> some EventStream<Double> {
    events.filter { $0.kind == .ordered || $0.kind == .complained }
        .tumbling(.seconds(3600)).mean(of: { $0.kind == .complained ? 1.0 : 0.0 })
        .map { hour in hour.value / (1 - hour.value) }.filter { $0 > 0.1 }
}

@Suite struct BusinessActivityTests {
    private func hour(_ hour: Double) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(hour * 3600)) }

    @Test func anOrderThatIsNotShippedIsOverdue() {
        let channel = EventChannel<ShopEvent>()
        let overdue = Locked<[Int]>([])
        overdueOrders(in: channel).subscribe { order in overdue.withLock { $0.append(order) } }
        for order in 1...3 {
            channel.publish(ShopEvent(timestamp: hour(0), order: order, kind: .ordered))
            channel.publish(ShopEvent(timestamp: hour(1), order: order, kind: .paid))
        }
        channel.publish(ShopEvent(timestamp: hour(5), order: 2, kind: .shipped))
        channel.advance(to: hour(24))
        #expect(overdue.withLock { $0 } == [])
        channel.advance(to: hour(26))
        #expect(overdue.withLock { $0.sorted() } == [1, 3])
    }

    @Test func anHourWithManyComplaintsIsBad() {
        let channel = EventChannel<ShopEvent>()
        let rates = Locked<[Double]>([])
        badHours(in: channel).subscribe { rate in rates.withLock { $0.append(rate) } }
        for order in 0..<20 { channel.publish(ShopEvent(timestamp: hour(0.5), order: order, kind: .ordered)) }
        channel.publish(ShopEvent(timestamp: hour(0.6), order: 1, kind: .complained))
        for order in 0..<4 { channel.publish(ShopEvent(timestamp: hour(1.5), order: order, kind: .ordered)) }
        channel.publish(ShopEvent(timestamp: hour(1.6), order: 1, kind: .complained))
        channel.finish()
        #expect(rates.withLock { $0.count } == 1)
        #expect(rates.withLock { $0.allSatisfy { abs($0 - 0.25) < 1e-9 } })
    }
}
