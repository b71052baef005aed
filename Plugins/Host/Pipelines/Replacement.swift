internal import WeirCore
internal import WeirFiles

/// A request that is to take the place of a pipeline's plugins and outputs, while its inputs stay open.
///
/// Thread safety: any thread.
final class Replacement: Sendable {
    private struct State: Sendable {
        var request: RunRequest?
        /// Whether the inputs are to be read in another way, and so stop for the change.
        var pauses = false
    }

    private let state = Locked(State())

    /// Leaves a request; one that was not taken yet is forgotten.
    ///
    /// What there is to say of its rules has been said.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interruption: Where the inputs are read in another way: what stops their reading until the request is taken.
    func put(_ request: RunRequest, pausing interruption: Interruption?) {
        state.withLock { state in
            state.request = request
            guard let interruption else { return }
            state.pauses = true
            interruption.pause()
        }
    }

    /// Pauses the inputs again where a request needs that, after another pause of them has ended.
    func pauseAgain(_ interruption: Interruption) {
        state.withLock { if $0.pauses { interruption.pause() } }
    }

    /// Whether there is a request.
    var isWaiting: Bool { state.withLock { $0.request != nil } }

    /// Whether there is a request for which the inputs stop.
    var pauses: Bool { state.withLock { $0.pauses } }

    /// Takes the request, if there is one for which the inputs need not stop.
    func takeBetweenBatches() -> RunRequest? {
        state.withLock { $0.pauses ? nil : exchange(&$0.request, with: nil) }
    }

    /// Takes the request, if there is one, and has the inputs read on.
    func take(resuming interruption: Interruption?) -> RunRequest? {
        state.withLock { state in
            if state.pauses { interruption?.resume() }
            return exchange(&state, with: State()).request
        }
    }
}
