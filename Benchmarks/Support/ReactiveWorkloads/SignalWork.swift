internal import Comparing
internal import WeirSignals

/// Changes of one signal that a thousand others depend on.
enum SignalWork {
    private static let changes = 200

    static func chain(of length: Int) throws -> Double {
        let root = MutableSignal(0)
        var last: Signal<Int> = root
        for _ in 0..<length {
            let below = last
            last = Signal { below() &+ 1 }
        }
        return try microseconds(changing: root, to: changes + length, last)
    }

    static func diamond() throws -> Double {
        let root = MutableSignal(0)
        let middle = (0..<1000).map { index in Signal { root() &+ index } }
        let join = Signal { middle.reduce(0) { $0 &+ $1() } }
        return try microseconds(changing: root, to: 1000 * changes + 999 * 500, join)
    }

    private static func microseconds(
        changing root: MutableSignal<Int>,
        to expected: Int,
        _ last: Signal<Int>
    ) throws -> Double {
        let cost = nanoseconds(per: changes) {
            for value in 1...changes { root.value = value }
        }
        let value = last()
        guard value == expected else { throw WrongResult(value, insteadOf: expected) }
        return cost / 1000
    }
}
