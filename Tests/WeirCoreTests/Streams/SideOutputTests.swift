import Synchronization
import Testing
import WeirCore

@Suite struct SideOutputTests {
    /// Something that a handler keeps alive.
    private final class Listener: Sendable {
        let heard = Locked<[Int]>([])

        func hear(_ number: Int) { heard.withLock { $0.append(number) } }
    }

    @Test func handlersAreCalledInOrderAndElementsCounted() {
        let (output, listener) = (SideOutput<Int>(), Listener())
        output.send(0, at: .epoch)
        output.subscribe { number in listener.hear(number) }
        output.subscribe { number in listener.hear(-number) }
        output.send(1, at: .epoch)
        #expect(listener.heard.withLock { $0 } == [1, -1])
        #expect(output.count == 2)
    }

    /// A handler that is cancelled leaves nothing behind.
    @Test func aCancelledHandlerIsLetGo() {
        let output = SideOutput<Int>()
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            let subscription = output.subscribe { number in listener.hear(number) }
            output.send(1, at: .epoch)
            subscription.cancel()
            output.send(2, at: .epoch)
            #expect(listener.heard.withLock { $0 } == [1])
        }
        #expect(gone == nil)
        #expect(output.count == 2)
    }

    @Test func aHandlerCanCancelTheOneBehindIt() {
        let (output, listener) = (SideOutput<Int>(), Listener())
        let second = Locked<Subscription?>(nil)
        output.subscribe { number in
            second.withLock { $0 }?.cancel()
            listener.hear(number)
        }
        let subscription = output.subscribe { number in listener.hear(-number) }
        second.withLock { $0 = subscription }
        for number in 1...2 { output.send(number, at: .epoch) }
        #expect(listener.heard.withLock { $0 } == [1, 2])
    }
}
