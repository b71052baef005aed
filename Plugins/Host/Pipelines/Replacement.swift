internal import WeirCore

/// A request that is to take the place of a pipeline's plugins and outputs, while its inputs go on.
///
/// Thread safety: any thread.
final class Replacement: Sendable {
    private let request = Locked<RunRequest?>(nil)

    /// Leaves a request; one that was not taken yet is forgotten.
    func put(_ request: RunRequest) {
        self.request.withLock { $0 = request }
    }

    /// Whether there is a request.
    var isWaiting: Bool { request.withLock { $0 != nil } }

    /// Takes the request, if there is one.
    func take() -> RunRequest? {
        request.withLock { exchange(&$0, with: nil) }
    }
}
