/// Values of partitions, found by their number without a hash: once or more for each message.
struct PartitionTable<Value> {
    private var values: [Value?] = []

    /// The partitions that have one, in their order.
    var keys: [Int] { values.indices.filter { values[$0] != nil } }

    var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    /// The value of a partition; `nil` also for what is none.
    subscript(partition: Int) -> Value? {
        get { values.indices.contains(partition) ? values[partition] : nil }
        set {
            while values.count <= partition { values.append(nil) }
            values[partition] = newValue
        }
    }
}
