/// Which of a pool's processors gets an event.
public struct Balancer<E: Sendable>: Sendable {
    enum Kind: Sendable {
        case roundRobin
        case lowestLoad
        case byKey(@Sendable (E) -> Int)
        case custom(@Sendable (E, [Int]) -> Int)
    }

    let kind: Kind

    /// One after the other.
    public static var roundRobin: Balancer { Balancer(kind: .roundRobin) }

    /// The one with the fewest pending events; among equals the one that was made first.
    public static var lowestLoad: Balancer { Balancer(kind: .lowestLoad) }

    /// The same for the same key, so that the events of a key keep their order, also while the pool grows or shrinks.
    ///
    /// - Parameter key: The key of an event.
    /// - Returns: The balancer.
    public static func byKey<Key: Hashable & SendableMetatype>(_ key: @escaping @Sendable (E) -> Key) -> Balancer {
        Balancer(kind: .byKey { key($0).hashValue })
    }

    /// Your own.
    ///
    /// - Parameter choose: Takes an event and how many events are pending for each processor, and returns the place of
    ///   one of them; called by every publisher, at the same time.
    /// - Returns: The balancer.
    public static func custom(_ choose: @escaping @Sendable (E, [Int]) -> Int) -> Balancer {
        Balancer(kind: .custom(choose))
    }
}
