internal import WeirCore
internal import WeirGroups
internal import WeirRecords
internal import WeirSockets

/// What has been read of a state and its changes.
struct NATSStateReading {
    let head: NATSCommitHead

    /// The numbers of the pieces: those of the state, and those of each of its changes.
    let pieces: [Range<UInt64>]

    /// How many of them were read, and what they have.
    var pieceCount = 0
    var bytes: [UInt8] = []

    init(_ head: NATSCommitHead, _ pieces: [Range<UInt64>]) { (self.head, self.pieces) = (head, pieces) }

    var isWhole: Bool { pieceCount >= head.pieceCount }

    /// The number of the next one; `nil` where all were read.
    var next: UInt64? {
        var rest = pieceCount
        for range in pieces {
            if rest < range.count { return range.lowerBound + UInt64(rest) }
            rest -= range.count
        }
        return nil
    }

    /// The same, to be read as far as a later commit says.
    ///
    /// - Returns: `nil` where that does not go on with what was read.
    func goingOn(to head: NATSCommitHead, _ pieces: [Range<UInt64>]) -> NATSStateReading? {
        guard pieces.starts(with: self.pieces), pieceCount <= head.pieceCount, bytes.count <= head.byteCount else {
            return nil
        }
        var reading = NATSStateReading(head, pieces)
        (reading.pieceCount, reading.bytes) = (pieceCount, bytes)
        return reading
    }
}

// Reads states in parts, those of partitions that are about to come too.
extension NATSPartitionLog {
    /// How many bytes of a state are asked for at once, at least one piece: a server gives up a client for which too much
    /// waits.
    private static let readLimit = 16 << 20

    /// How long that may take, also where it comes slowly: 300 kB/s are enough.
    private static let readTime = Duration.seconds(60)

    /// The same for a partition that is about to come, at most.
    ///
    /// Those that are here wait meanwhile: it is halved or doubled to what comes in a short time.
    private static let preparedReadLimit = 2 << 20
    private static let preparedReadTarget: Int64 = 200_000_000

    /// How often it is asked how far the states are of partitions that are about to come: once to begin, and once for what
    /// their owners have committed meanwhile.
    private static let preparationLimit = 2

    /// How many bytes a state has that is put together, at most: as many as can be written whole, or a little more.
    private var stateLimit: Int { max(1 << 30, NATSCommitHead.pieceLimit * payloadLimit) }

    /// Reads what is known of a partition, as its last commit says.
    func state(
        of partition: Int,
        _ head: NATSCommitHead,
        _ pieces: [Range<UInt64>]
    ) throws(NATSError) -> [UInt8] {
        var reading =
            preparedStates.removeValue(forKey: partition)?.goingOn(to: head, pieces) ?? NATSStateReading(head, pieces)
        while !reading.isWhole { try read(&reading, of: partition, Self.readLimit, within: Self.readTime) }
        guard reading.bytes.count == head.byteCount,
            let state = StateOutline.state(
                reading.bytes,
                changes: head.changes.map(\.byteCount),
                limit: stateLimit
            )
        else { throw Self.moved }
        return state
    }

    private func read(
        _ reading: inout NATSStateReading,
        of partition: Int,
        _ limit: Int,
        within time: Duration
    ) throws(NATSError) {
        if reading.bytes.isEmpty {
            // With room for the changes that follow meanwhile.
            reading.bytes = [UInt8](roomFor: min(reading.head.byteCount + reading.head.byteCount / 4, 1 << 30))
        }
        var json = JSONWriter()
        json.object { json in
            json.member("seq", reading.next ?? 0)
            json.member("batch", min(max(1, limit / payloadLimit), reading.head.pieceCount - reading.pieceCount))
            json.member("next_by_subj", places.state(partition))
        }
        let answers = try client.requestAll("$JS.API.DIRECT.GET.\(places.stream)", json.bytes[...], within: time)
        guard answers.count > 1 else { throw Self.moved }
        for (index, answer) in answers.dropLast().enumerated() {
            guard let next = reading.next else { return }
            guard let number = answer.headers?["Nats-Sequence"].flatMap({ UInt64($0) }) else { throw Self.moved }
            // What another program has written between them is none.
            if index > 0, number < next { continue }
            guard number == next else { throw Self.moved }
            reading.bytes += answer.payload
            reading.pieceCount += 1
        }
    }

    /// That a later commit has taken the place of the one that was being read, or that a server lags behind.
    static let moved = NATSError(.disconnected, "the state changed while it was read; it is read again")

    // MARK: Partitions that are about to come

    /// Whether there is more to read of partitions that are about to come.
    var isPreparingStates: Bool { preparedStates.values.contains { !$0.isWhole } }

    /// Reads a part of the states of partitions that are about to come: their owners go on, and what they commit meanwhile
    /// is read when they have let go.
    ///
    /// - Returns: Whether all was read that is read in advance.
    func prepareStates() throws(NATSError) -> Bool {
        do throws(NATSError) {
            if !isPreparingStates {
                guard preparationCount < Self.preparationLimit else { return true }
                preparationCount += 1
                beginReading(try heads(of: prepared))
            }
            let unread = preparedStates.filter { !$0.value.isWhole }.keys.min()
            guard let partition = unread, var reading = preparedStates.removeValue(forKey: partition) else {
                return true
            }
            do throws(NATSError) {
                let start = Moment.now
                try read(&reading, of: partition, preparedReadLimit, within: preparedReadTime)
                preparedStates[partition] = reading
                if .now < start + Self.preparedReadTarget {
                    preparedReadLimit = min(preparedReadLimit * 2, Self.preparedReadLimit)
                } else {
                    preparedReadLimit = max(preparedReadLimit / 2, payloadLimit)
                }
            } catch {
                // Its owner has written all of it anew, which the next look at the heads finds.
                guard error == Self.moved else { throw error }
            }
            return false
        } catch {
            // They come without it.
            preparedStates = [:]
            preparationCount = Self.preparationLimit
            throw error
        }
    }

    private func beginReading(_ heads: [Int: (head: NATSCommitHead, revision: UInt64)]) {
        var byteCount = 0
        for (partition, (head, revision)) in heads.sorted(by: { $0.key < $1.key }) {
            let before = preparedStates.removeValue(forKey: partition)
            guard head.byteCount > Self.shortState, head.byteCount <= preparedLimit - byteCount,
                head.input == places.inputCreation, let pieces = head.pieces(before: revision)
            else { continue }
            byteCount += head.byteCount
            preparedStates[partition] = before?.goingOn(to: head, pieces) ?? NATSStateReading(head, pieces)
        }
    }
}
