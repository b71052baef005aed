/// How a stream ended.
@frozen
public enum Completion: Sendable {
    /// The stream said everything it had to say.
    case finished

    /// The stream broke off.
    case failed(any Error)
}
