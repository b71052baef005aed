internal import Synchronization
public import WeirCore

/// Ends flows from outside.
///
///     let (stop, result) = source.via(.killSwitch(), keeping: { $1 }).to(sink) { ($0, $1) }.run()
///     stop.finish()
///
/// Thread safety: any thread.
public final class KillSwitch: Sendable {
    private struct State {
        var completion: Completion?
        // The flows that have not come to their end.
        var wakes: [Int: Waker] = [:]
        var useCount = 0
    }

    private let state = Locked(State())
    private let isUsed = Atomic(false)

    /// Creates a switch, which may be put into any number of flows with `killSwitch(_:)`.
    public init() {}

    /// Ends the flows as if their sources had ended; their sources are cancelled.
    public func finish() {
        end(.finished)
    }

    /// Makes the flows fail; their sources are cancelled.
    ///
    /// - Parameter error: The failure.
    public func abort(_ error: any Error = GraphError.stopped) {
        end(.failed(error))
    }

    /// Interrupts the flows: they were cancelled, and did not fail; their sources are cancelled.
    public func interrupt() {
        end(.interrupted)
    }

    private func end(_ completion: Completion) {
        let wakes = state.withLock { state -> [Int: Waker] in
            guard state.completion == nil else { return [:] }
            state.completion = completion
            // Before the lock is free: a flow that comes later has to see it by itself.
            isUsed.store(true, ordering: .releasing)
            defer { state.wakes = [:] }
            return state.wakes
        }
        // In the order of their use, so that runs are the same in each process.
        for (_, wake) in wakes.sorted(by: { $0.key < $1.key }) { wake() }
    }

    /// Adds a flow to wake; returns its number.
    @usableFromInline
    func onUse(_ wake: Waker) -> Int {
        state.withLock { state in
            state.useCount += 1
            if state.completion == nil { state.wakes[state.useCount] = wake }
            return state.useCount
        }
    }

    /// Removes a flow that has ended, because a switch may outlive many flows.
    @usableFromInline
    func forget(_ use: Int) {
        state.withLock { $0.wakes[use] = nil }
    }

    /// How many flows there are to wake.
    var openCount: Int { state.withLock { $0.wakes.count } }

    @usableFromInline var completion: Completion? {
        isUsed.load(ordering: .acquiring) ? state.withLock { $0.completion } : nil
    }
}

extension Flow where Output == Input {
    @inlinable
    static func stopping(
        _ makeSwitch: @escaping @Sendable () -> KillSwitch,
        _ handle: @escaping @Sendable (KillSwitch) -> Handle
    ) -> Flow {
        Flow(unchecked: { builder in
            let killSwitch = makeSwitch()
            let ports = builder.addLinear("killSwitch", isExternal: true) {
                (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                let use = killSwitch.onUse(context.waker())
                // A use that the flow had not seen when it was saved; the switch may be that of other flows, too.
                let earlier = SharedCell(driven: Completion?.none)
                context.state.addField { state throws(StateError) in
                    var completion = killSwitch.completion ?? earlier.value
                    try state.exchange(&completion)
                    if state.isRestoring { earlier.value = completion }
                }
                return {
                    defer { if outlet.isClosed { killSwitch.forget(use) } }
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if let completion = killSwitch.completion ?? earlier.value {
                            outlet.finish(completion)
                            return inlet.cancel()
                        }
                        if outlet.demand > 0, inlet.available > 0 {
                            outlet.push(inlet.takeFirst())
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    inlet.passOn(to: outlet)
                }
            }
            return (ports, handle(killSwitch))
        })
    }
}

extension Flow where Output == Input, Handle == KillSwitch {
    /// Forwards everything until its switch is used; each run gives one of its own.
    @inlinable
    public static func killSwitch() -> Flow {
        stopping({ KillSwitch() }, { $0 })
    }
}

extension Flow where Output == Input, Handle == Void {
    /// Forwards everything until a switch is used.
    ///
    /// - Parameter killSwitch: The switch; several flows may share it.
    /// - Returns: The flow.
    @inlinable
    public static func killSwitch(_ killSwitch: KillSwitch) -> Flow {
        stopping({ killSwitch }, { _ in () })
    }
}
