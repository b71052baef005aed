import Foundation
import Testing
import WeirCore
import WeirDispatch
import WeirSignals
import WeirTesting

/// Graphs of a hundred thousand signals.
@Suite struct LargeSignalGraphTests {
    @Test func aHundredThousandSignalsDoNotRecurse() {
        let root = MutableSignal(0)
        var last: Signal<Int> = root
        for _ in 0..<100_000 {
            let below = last
            last = Signal { below() &+ 1 }
        }
        #expect(last() == 100_000)
        root.value = 5
        #expect(last() == 100_005)
        // Letting go of the chain must not recurse either.
        last = root
    }

    @Test func aHundredThousandSignalsNeedNoStack() {
        onASmallStack {
            let root = MutableSignal(0)
            var last: Signal<Int> = root
            for _ in 0..<100_000 { last = last.map { $0 &+ 1 } }
            var seen: [Int] = []
            var observation: SignalObservation? = last.observe { seen.append($0) }
            root.value = 5
            transaction {
                root.value = 7
                // On demand, in the middle of a transaction.
                #expect(last() == 100_007)
            }
            #expect(seen == [100_005, 100_007])
            // The observation is the last that holds the chain.
            last = root
            root.value = 8
            #expect(seen.last == 100_008)
            observation?.cancel()
            observation = nil
            root.value = 9
            #expect(seen.count == 3)
        }
    }

    @Test func aHundredThousandSignalsOnDemandNeedNoStack() {
        onASmallStack {
            // A signal of level 1 that suddenly reads the end of the chain.
            let root = MutableSignal(0)
            var last: Signal<Int> = root
            for _ in 0..<100_000 { last = last.map { $0 &+ 1 } }
            let late = Late()
            let reader = Signal { root() == 0 ? 0 : late.signal?() ?? -1 }
            let above = reader.map { $0 * 2 }
            late.signal = last
            root.value = 1
            #expect(above() == 200_002)
            late.signal = nil
        }
    }

    @Test func aHundredThousandDirtySignalsOnDemandNeedNoStack() {
        onASmallStack {
            // Every signal of the chain reads the root too, so that all are dirty at once.
            let root = MutableSignal(0)
            var last: Signal<Int> = root
            for _ in 0..<100_000 {
                let below = last
                last = Signal { root() &+ below() }
            }
            let late = Late()
            let reader = Signal { root() == 0 ? 0 : late.signal?() ?? -1 }
            late.signal = last
            root.value = 1
            #expect(reader() == 100_001)
            late.signal = nil
        }
    }

    @Test func aHundredThousandQueuedSignalsMayGoAway() {
        onASmallStack {
            // All are queued when the first of their level releases them.
            let root = MutableSignal(0)
            let kept = Kept()
            let dropper = Signal { () -> Int in
                if root() == 1 { kept.signals = [] }
                return root()
            }
            // Beyond the dropper's level, so that none is being computed.
            let higher = dropper.map { $0 }.map { $0 }
            let runs = Counter()
            kept.signals = (0..<100_000).map { _ in
                Signal {
                    runs.count += 1
                    return root() + higher()
                }
            }
            runs.count = 0
            root.value = 1
            #expect(kept.signals.isEmpty && runs.count == 0)
            root.value = 2
            #expect(dropper() == 2)
        }
    }

    @Test func aHundredThousandSignalsSideBySide() {
        let root = MutableSignal(0)
        var signals = (0..<100_000).map { index in Signal { root() + index } }
        var sum: Signal<Int>? = Signal { [signals] in signals.reduce(0) { $0 &+ $1() } }
        let before = sum?() ?? 0
        root.value = 1
        #expect(sum?() == before + 100_000)
        sum = nil
        signals.removeAll()
        root.value = 2
    }
}

/// Runs `body` on a thread with a stack of 256 KiB.
private func onASmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = Parker()
    let thread = Thread {
        body()
        done.unpark()
    }
    thread.stackSize = 256 << 10
    thread.start()
    done.park()
}
