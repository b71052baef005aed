internal import WeirCore
package import WeirGroups
internal import WeirRecords
internal import WeirSockets

/// What the members of a group share, in a bucket of values.
///
/// Thread safety: that of its client.
package final class NATSSharedValues: SharedValues {
    private let bucket: KeyValueBucket
    private let client: NATSClient
    private let places: NATSGroupPlaces?
    private let request: GroupRequest?

    /// Subjects of the input that are of no partition.
    private var foreign: Set<String> = []

    package var foreignSubjectCount: Int { foreign.count }

    /// Refers to the bucket of a group, which is made where it is not there.
    ///
    /// - Parameters:
    ///   - bucket: Its name.
    ///   - client: Asks for the values.
    ///   - replicas: How many servers keep it, where it is made.
    ///   - places: Where the input is; `nil` where that is not of interest.
    ///   - request: What the member wants; `nil` where it is none.
    /// - Throws: ``GroupError``.
    init(
        _ bucket: String,
        _ client: NATSClient,
        replicas: Int,
        places: NATSGroupPlaces? = nil,
        request: GroupRequest? = nil
    ) throws(GroupError) {
        self.client = client
        self.request = request
        self.places = places
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

    /// Ends a member where a stream was changed so that no member could join any more.
    private func checkStreams() throws(GroupError) {
        guard let places, let request, nextCheck <= .now else { return }
        nextCheck = .now + Self.checkInterval
        do throws(NATSError) {
            // What takes longer is asked the next time: the lease does not wait for it.
            try NATSTransport.check(
                input: client.stream(places.inputStream, within: Self.patience),
                places.inputSubject
            )
            try NATSTransport.check(
                output: client.stream(places.stream, within: Self.patience),
                NATSGroupPlaces.streamSubjects(of: request.name, places.outputSubject),
                client
            )
        } catch {
            // What cannot be reached, or is gone, is told by those who need it.
            guard error.kind == .unsendable else { return }
            throw GroupError(error)
        }
    }

    /// When the streams are looked at next.
    var nextCheck = Moment.now + checkInterval

    /// How often streams are looked at, in nanoseconds.
    private static let checkInterval: Int64 = 5_000_000_000

    /// How long the answer to a question may take on which nothing depends.
    private static let patience = Duration.milliseconds(300)

    package func values(_ keys: [String]) throws(GroupError) -> [String: SharedValue] {
        try checkStreams()
        let entries: [String: KeyValueBucket.Entry]
        do throws(NATSError) { entries = try bucket.get(like: keys) } catch { throw failure(error) }
        return entries.mapValues { SharedValue(bytes: $0.value, revision: $0.revision) }
    }

    package func put(_ key: String, _ bytes: [UInt8]) throws(GroupError) {
        do throws(NATSError) { try bucket.put(key, bytes) } catch { throw failure(error) }
    }

    package func replace(_ key: String, _ bytes: [UInt8], revision: UInt64) throws(GroupError) {
        do throws(NATSError) {
            if revision == 0 {
                try bucket.create(key, bytes)
            } else {
                try bucket.update(key, bytes, revision: revision)
            }
        } catch {
            throw failure(error)
        }
    }

    package func lastMessages() throws(GroupError) -> [Int: UInt64] {
        guard let places, places.inputPermitsDirect else { return [:] }
        var last: [Int: UInt64] = [:]
        do throws(NATSError) {
            for message in try client.lastMessages(
                of: places.inputStream,
                like: ["\(places.inputSubject).*"],
                within: Self.patience
            ) {
                guard let partition = places.isWhole ? 0 : message.number,
                    places.isWhole || partition < request?.partitionCount ?? .max
                else {
                    note(message.subject, of: places.inputStream)
                    continue
                }
                last[partition] = max(last[partition] ?? 0, message.sequence)
            }
        } catch {
            throw GroupError(error)
        }
        return last
    }

    /// Tells once of messages that nobody reads.
    private func note(_ subject: String, of stream: String) {
        guard foreign.count < Self.foreignLimit, foreign.insert(subject).inserted, foreign.count == 1 else { return }
        request?.notice(
            "the stream '\(stream)' has messages of '\(Excerpt.line(subject))', which are of no partition and are not read"
        )
    }

    private static let foreignLimit = 10_000

    /// What a group says of a bucket that does not answer: it was there, and to make another one is no advice.
    private func failure(_ error: NATSError) -> GroupError {
        guard error.kind == .noResponders else { return GroupError(error) }
        return GroupError(
            .unreachable,
            "nobody answers for the bucket '\(bucket.name)' of the group: it has no leader just now, or was deleted"
        )
    }

    package func remove(_ key: String) throws(GroupError) {
        do throws(NATSError) { try bucket.purge(key) } catch { throw GroupError(error) }
    }
}

extension NATSError {
    /// Whether a server has forgotten what it had of a batch, as after an election, has too much to do, or still has the consumers
    /// of members that are gone: nothing was kept, and the same may succeed.
    fileprivate var isOfMoment: Bool {
        guard case .refused(let status, let number) = kind else { return false }
        return status == 429 || [10_026, 10_176, 10_210].contains(number)
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
                error.isTransient || error.isMissing || error.isOfMoment ? .unreachable : .refused
            }
        self.init(kind, error.reason)
    }
}
