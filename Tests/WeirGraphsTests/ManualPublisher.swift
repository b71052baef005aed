import WeirCore
import WeirGraphs

/// A publisher whose signals the test sends.
final class ManualPublisher: Publisher {
    typealias Output = Int

    let subscription = ManualSubscription()
    private let locked = Locked<(any Subscriber<Int>)?>(nil)

    var subscriber: (any Subscriber<Int>)? { locked.withLock { $0 } }
    var requested: Int { subscription.requested }

    func subscribe(_ subscriber: any Subscriber<Int>) {
        locked.withLock { $0 = subscriber }
        subscriber.onSubscribe(subscription)
    }

    func send(_ number: Int) {
        subscriber?.onNext(number)
    }
}

final class ManualSubscription: DemandSubscription {
    private let state = Locked((requested: 0, isCancelled: false))

    var requested: Int { state.withLock { $0.requested } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func request(_ count: Int) {
        state.withLock { $0.requested += count }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }
}
