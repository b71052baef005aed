internal import WeirCore
package import WeirGroups
internal import WeirRecords

/// What the members of a group share, in a bucket of values.
///
/// Thread safety: that of its client.
package final class NATSSharedValues: SharedValues {
    private let bucket: KeyValueBucket
    private let client: NATSClient

    /// Refers to the bucket of a group, which is made where it is not there.
    ///
    /// - Throws: ``GroupError``.
    package init(_ bucket: String, _ client: NATSClient, replicas: Int) throws(GroupError) {
        self.client = client
        do throws(NATSError) {
            self.bucket = try KeyValueBucket(bucket, client)
            do throws(NATSError) { _ = try client.stream("KV_\(bucket)") } catch {
                guard error.isMissing else { throw error }
                try self.bucket.create(replicas: replicas)
            }
        } catch {
            throw GroupError(error)
        }
    }

    package func values(_ keys: [String]) throws(GroupError) -> [String: SharedValue] {
        let entries: [String: KeyValueBucket.Entry]
        do throws(NATSError) { entries = try bucket.get(like: keys) } catch { throw GroupError(error) }
        return entries.mapValues { SharedValue(bytes: $0.value, revision: $0.revision) }
    }

    package func put(_ key: String, _ bytes: [UInt8]) throws(GroupError) {
        do throws(NATSError) { try bucket.put(key, bytes) } catch { throw GroupError(error) }
    }

    package func replace(_ key: String, _ bytes: [UInt8], revision: UInt64) throws(GroupError) {
        do throws(NATSError) {
            if revision == 0 {
                try bucket.create(key, bytes)
            } else {
                try bucket.update(key, bytes, revision: revision)
            }
        } catch {
            throw GroupError(error)
        }
    }

    package func remove(_ key: String) throws(GroupError) {
        do throws(NATSError) { try bucket.delete(key) } catch { throw GroupError(error) }
    }
}

extension GroupError {
    init(_ error: NATSError) {
        let kind: Kind =
            if error.isWrongSequence {
                .outdated
            } else if error.kind == .interrupted {
                .interrupted
            } else {
                error.isTransient || error.isMissing ? .unreachable : .refused
            }
        self.init(kind, error.reason)
    }
}
