/// How `flatMap` runs the streams that elements become, and what it does with elements that come meanwhile.
public enum FlatteningStrategy: Sendable, Hashable {
    /// Up to `limit` streams at once, a positive number; further elements wait until one has finished.
    case merge(limit: Int)
    /// One stream after the other; further elements wait until it has finished.
    case concat
    /// Only the stream of the latest element: it takes the place of the one before, which is detached.
    case latest
    /// Only the stream that runs; elements that come before it has finished are refused.
    case first

    /// How many streams run at once.
    @usableFromInline
    var width: Int {
        switch self {
        case .merge(let limit): limit
        case .concat, .latest, .first: 1
        }
    }
}

/// What a checkpoint does about the streams inside a `flatMap` that have not finished.
public enum InnerStreamState: Sendable, Hashable {
    /// The checkpoint is refused while such a stream runs: nobody knows where it is.
    case refused
    /// Their elements are saved, and the streams are made again from them; what they had emitted before is left out.
    ///
    /// For streams that start from the beginning for each sink and emit the same again, such as the value of an asynchronous
    /// function.
    case repeated
}
