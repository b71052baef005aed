import Testing
import Weir

struct Trade: Event, Equatable {
    let timestamp: Timestamp
    let symbol: String
    let price: Double
}

enum MarketAlert: Sendable, Equatable {
    /// The price fell at least four times in a row.
    case falling(String, from: Double, to: Double)
    /// The mean of a minute is more than five percent away from that of the minute before.
    case jump(String, from: Double, to: Double)
}

/// Alerts of each symbol by itself.
func marketAlerts(in trades: some EventStream<Trade>) -> some EventStream<MarketAlert> {
    let falls = trades.grouped(by: \.symbol, limit: 100_000) { trades in
        trades.falling(atLeast: 5, by: \.price).map { run in
            MarketAlert.falling(run[0].symbol, from: run[0].price, to: run[run.count - 1].price)
        }
    }
    let jumps = trades.grouped(by: \.symbol, limit: 100_000) { trades in
        let symbol = trades.key
        return trades.tumbling(.minutes(1)).mean(of: \.price).map(\.value)
            .pairwise().filter { abs($1 / $0 - 1) > 0.05 }
            .map { before, now in MarketAlert.jump(symbol, from: before, to: now) }
    }
    return falls.union(jumps)
}

@Suite struct MarketDataTests {
    private func alerts(_ trades: [(second: Int64, symbol: String, price: Double)]) -> [MarketAlert] {
        let channel = EventChannel<Trade>()
        let alerts = Locked<[MarketAlert]>([])
        marketAlerts(in: channel).subscribe { alert in alerts.withLock { $0.append(alert) } }
        for trade in trades {
            let time = Timestamp(secondsSinceEpoch: trade.second)
            channel.publish(Trade(timestamp: time, symbol: trade.symbol, price: trade.price))
            channel.advance(to: time)
        }
        channel.finish()
        return alerts.withLock { $0 }
    }

    @Test func aFallIsReportedWhenItEnds() {
        let prices = [100, 99.5, 99, 98.5, 98, 98.5]
        let trades = prices.enumerated().flatMap { second, price in
            [(Int64(second), "A", price), (Int64(second), "B", 50.0)]
        }
        #expect(alerts(trades) == [.falling("A", from: 100, to: 98)])
    }

    @Test func aJumpBetweenMinutesIsReported() {
        let trades = [(0, "A", 100.0), (30, "A", 102), (0, "B", 20), (61, "A", 110), (62, "B", 20.5), (130, "A", 110)]
        #expect(
            alerts(trades.sorted { $0.0 < $1.0 }.map { (Int64($0.0), $0.1, $0.2) }) == [.jump("A", from: 101, to: 110)]
        )
    }
}
