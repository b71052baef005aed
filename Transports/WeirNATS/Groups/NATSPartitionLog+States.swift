internal import WeirCore
internal import WeirGroups
internal import WeirRecords

/// What has been read of a state and its changes.
struct NATSStateReading {
    let head: NATSCommitHead

    /// The numbers of the first piece and of the head.
    let first: UInt64
    let revision: UInt64

    /// The number behind the last piece that was read, and how many were.
    var next: UInt64
    var pieceCount = 0
    var bytes: [UInt8] = []

    init(_ head: NATSCommitHead, _ first: UInt64, _ revision: UInt64) {
        (self.head, self.first, self.revision, next) = (head, first, revision, first)
    }

    var isWhole: Bool { pieceCount == head.pieceCount }

    /// The same, to be read as far as a later commit says.
    ///
    /// - Returns: `nil` where that does not go on with what was read.
    func goingOn(to head: NATSCommitHead, _ first: UInt64, _ revision: UInt64) -> NATSStateReading? {
        guard self.first == first, pieceCount <= head.pieceCount, bytes.count <= head.byteCount else { return nil }
        var reading = NATSStateReading(head, first, revision)
        (reading.next, reading.pieceCount, reading.bytes) = (next, pieceCount, bytes)
        return reading
    }
}

// States: read in parts, for partitions that are about to come before they do.
extension NATSPartitionLog {
    /// How many bytes of a state are asked for at once, at least one piece: a server gives up a client for which too much
    /// waits.
    private static let readLimit = 16 << 20

    /// The same for a partition that is about to come: those that are here do not wait for it.
    private static let preparedReadLimit = 2 << 20

    /// How many bytes are read of partitions that are about to come, and wait for that.
    private static let preparedLimit = 256 << 20

    /// Reads what is known of a partition, as its last commit says.
    func state(
        of partition: Int,
        _ head: NATSCommitHead,
        _ first: UInt64,
        _ revision: UInt64
    ) throws(NATSError) -> [UInt8] {
        var reading =
            preparedStates.removeValue(forKey: partition)?.goingOn(to: head, first, revision)
            ?? NATSStateReading(head, first, revision)
        while !reading.isWhole { try read(&reading, of: partition, Self.readLimit) }
        guard reading.bytes.count == head.byteCount else { throw Self.moved }
        guard let state = StateOutline.state(reading.bytes, changes: head.changes) else {
            throw .garbage("what is known of partition \(partition) is no state with its changes")
        }
        return state
    }

    private func read(_ reading: inout NATSStateReading, of partition: Int, _ limit: Int) throws(NATSError) {
        if reading.bytes.isEmpty {
            // With room for the changes that follow meanwhile.
            reading.bytes.reserveCapacity(min(reading.head.byteCount + reading.head.byteCount / 4, 1 << 30))
        }
        var json = JSONWriter()
        json.object { json in
            json.member("seq", reading.next)
            json.member("batch", min(max(1, limit / payloadLimit), reading.head.pieceCount - reading.pieceCount))
            json.member("next_by_subj", places.state(partition))
        }
        let answers = try client.requestAll("$JS.API.DIRECT.GET.\(places.stream)", json.bytes[...])
        guard answers.count > 1 else { throw Self.moved }
        for answer in answers.dropLast() {
            // Those of changes stand apart, and all before the head.
            guard let number = answer.headers?["Nats-Sequence"].flatMap({ UInt64($0) }),
                reading.pieceCount > 0 ? number >= reading.next : number == reading.first, number < reading.revision,
                !reading.isWhole
            else { throw Self.moved }
            reading.bytes += answer.payload
            reading.pieceCount += 1
            reading.next = number + 1
        }
    }

    /// That a later commit has taken the place of the one that was being read, or that a server lags behind.
    private static let moved = NATSError(.disconnected, "the state changed while it was read; it is read again")

    // MARK: Partitions that are about to come

    /// Whether there is more to read of partitions that are about to come.
    var isPreparingStates: Bool { preparedStates.values.contains { !$0.isWhole } }

    /// Begins to read what is known of partitions that are about to come: their owners go on, and what they commit
    /// meanwhile is read when they have let go.
    func beginReading(_ heads: [Int: (head: NATSCommitHead, revision: UInt64)]) {
        var byteCount = 0
        for (partition, (head, revision)) in heads where head.pieceCount > 1 && head.input == places.inputCreation {
            byteCount += head.byteCount
            guard byteCount <= Self.preparedLimit else { return }
            guard let first = head.firstPiece(before: revision) else { continue }
            preparedStates[partition] = NATSStateReading(head, first, revision)
        }
    }

    /// Reads a part of that.
    func prepareStates() throws(NATSError) {
        guard let partition = preparedStates.keys.filter({ preparedStates[$0]?.isWhole == false }).min(),
            var reading = preparedStates.removeValue(forKey: partition)
        else { return }
        do throws(NATSError) { try read(&reading, of: partition, Self.preparedReadLimit) } catch {
            // Its owner has written all of it anew: that is read in the end.
            if error == Self.moved { return }
            throw error
        }
        preparedStates[partition] = reading
    }
}
