/// How a consumer that takes the place of another one goes on with what that knows.
///
/// A host calls the functions on the thread that feeds the consumers, between two batches.
package struct ConsumerHandover {
    /// What a consumer knows: another one takes out of it what it goes on with.
    package let known: () -> Any

    /// Has a consumer go on with what another one knows, as far as it can.
    package let goOn: (_ known: Any) -> Void

    /// Creates a handover.
    ///
    /// - Parameters:
    ///   - known: What the consumer knows.
    ///   - goOn: Has the consumer go on with what another one knows.
    package init(known: @escaping () -> Any, goOn: @escaping (Any) -> Void) {
        self.known = known
        self.goOn = goOn
    }
}
