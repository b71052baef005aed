/// The partitions that keys are spread over: many more than there are workers, so that the keys of one stay together,
/// whatever the number of workers.
package enum KeyPartitions {
    /// How many there are, unless told otherwise.
    package static let count = 256

    /// The partition of a key.
    ///
    /// - Parameters:
    ///   - hash: A hash of the key that is the same in all processes, such as that of `stableHash(ofField:inRecordAt:)`.
    ///   - count: How many partitions there are; positive.
    /// - Returns: The number of the partition, from 0.
    package static func partition(of hash: UInt64, among count: Int = count) -> Int {
        // The low bits of FNV-1a depend on the low bits of each byte only.
        Int((hash ^ hash >> 32) % UInt64(count))
    }

    /// The worker of a partition.
    ///
    /// - Parameters:
    ///   - partition: The number of the partition.
    ///   - workerCount: How many workers there are; positive.
    /// - Returns: The number of the worker, from 0.
    package static func worker(of partition: Int, among workerCount: Int) -> Int { partition % workerCount }
}
