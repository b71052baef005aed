import WeirCore
import WeirGroups

/// A member's connection to the simulated broker.
final class SimulatedConnection: SharedValues, PartitionLog {
    let member: String
    private let broker: SimulatedBroker

    /// Until when the broker cannot be reached from here.
    var isDownUntil: Int64 = 0

    /// Until when nothing comes, though the broker has said that there is more.
    var isStalledUntil: Int64 = 0

    /// Whether the member was killed: nothing that it does has an effect from then on.
    var isDead = false

    /// What goes wrong with the next request.
    var nextError: GroupError?

    private var positions: [Int: UInt64] = [:]
    /// The number of the last message that came, or was passed over.
    private var cursor: UInt64 = 0
    private var isBroken = false
    /// Whether all had come when something came last: what was published since, nobody has said yet.
    private var hasAll = false
    private var marks: [(number: UInt64, source: Int, mark: TimeMark)] = []
    private var noteMark: (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void = {
        _,
        _,
        _,
        _ in
    }

    init(_ member: String, _ broker: SimulatedBroker) {
        self.member = member
        self.broker = broker
    }

    static let noAnswer = GroupError(.unreachable, "there was no answer")
    static let end = GroupError(.interrupted, "the program is to end")

    // MARK: Requests

    private func reach() -> GroupError? {
        if isDead { return Self.end }
        if let error = nextError {
            nextError = nil
            return error
        }
        return broker.now < max(isDownUntil, broker.isDownUntil) ? Self.noAnswer : nil
    }

    /// Lets others go on, if it so happens.
    private func delay() {
        if broker.chance(broker.faults.delayed) { broker.onDelay(self) }
    }

    /// Makes a request that changes something.
    private func change<Answer>(
        _ name: @autoclosure () -> String,
        _ apply: @escaping (_ isLate: Bool) -> Result<Answer, GroupError>
    ) -> Result<Answer, GroupError> {
        // Whether a request that is interrupted was applied, nobody knows.
        if let error = reach() {
            if !isDead, error.kind == .interrupted, broker.pick(2) == 0 { _ = apply(false) }
            broker.note("\(member) \(name()): \(error)")
            return .failure(error)
        }
        let (faults, number) = (broker.faults, broker.pick(1_000))
        if number < faults.lost {
            broker.note("\(member) \(name()): lost")
            return .failure(Self.noAnswer)
        }
        if number < faults.lost + faults.answerLost {
            let result = apply(false)
            broker.note("\(member) \(name()): answer lost: \(result)")
            return .failure(Self.noAnswer)
        }
        if number < faults.lost + faults.answerLost + faults.late {
            let copy = name()
            broker.note("\(member) \(copy): late")
            broker.later { [broker, member] in
                let result = apply(true)
                broker.note("\(member) \(copy): applied late: \(result)")
            }
            return .failure(Self.noAnswer)
        }
        delay()
        if isDead, broker.pick(2) == 0 { return .failure(Self.end) }
        var result = apply(false)
        if broker.chance(faults.twice) {
            if broker.pick(2) == 0 {
                let second = apply(true)
                // Which of the answers comes first is open.
                if broker.pick(2) == 0 { result = second }
            } else {
                broker.later { _ = apply(true) }
            }
            broker.note("\(member) \(name()): twice: \(result)")
        } else {
            broker.note("\(member) \(name()): \(result)")
        }
        delay()
        return isDead ? .failure(Self.end) : result
    }

    /// Makes a request that changes nothing.
    private func ask<Answer>(_ name: @autoclosure () -> String, _ answer: () -> Answer) throws(GroupError) -> Answer {
        if let error = reach() { throw error }
        delay()
        let result = answer()
        if broker.chance(broker.faults.lost) {
            broker.note("\(member) \(name()): lost")
            throw Self.noAnswer
        }
        delay()
        if isDead { throw Self.end }
        return result
    }

    // MARK: Values

    func values(_ keys: [String]) throws(GroupError) -> [String: SharedValue] {
        try ask("reads values") {
            var found: [String: SharedValue] = [:]
            for key in keys {
                // Each may be of another time.
                let values = broker.read()
                if key.utf8.last == UInt8(ascii: "*") {
                    let start = key.dropLast()
                    for (name, value) in values where name.hasPrefix(start) { found[name] = value }
                } else {
                    found[key] = values[key]
                }
            }
            return found
        }
    }

    func put(_ key: String, _ bytes: [UInt8]) throws(GroupError) {
        _ = try change("puts \(key)") { [broker] _ in .success(broker.write(key, bytes)) }.get()
    }

    func replace(_ key: String, _ bytes: [UInt8], revision: UInt64) throws(GroupError) {
        try change("replaces \(key) \(revision) by \(String(decoding: bytes, as: UTF8.self))") { [broker] _ in
            broker.write(key, bytes, ifRevision: revision)
                ? .success(()) : .failure(GroupError(.outdated, "it was changed by another"))
        }.get()
    }

    func remove(_ key: String) throws(GroupError) {
        _ = try change("removes \(key)") { [broker] _ in .success(broker.write(key, nil)) }.get()
    }

    // MARK: Messages and commits

    func lastCommits(of partitions: Set<Int>) throws(GroupError) -> [Int: PartitionPlace] {
        let sorted = partitions.sorted()
        let places = try ask("asks for the commits of \(sorted)") { [broker] in
            sorted.map { partition in
                let kept = broker.kept[partition]
                // It need not be the very last: what follows it is refused then.
                return broker.chance(broker.faults.stale) ? kept.before : kept.place
            }
        }
        var found: [Int: PartitionPlace] = [:]
        for (partition, place) in zip(sorted, places) {
            let (position, revision) = (place?.position ?? 0, place?.revision ?? 0)
            broker.note("\(member) goes on with \(partition) at \(position), commit \(revision)")
            found[partition] = place
        }
        return found
    }

    func prepare(_ partitions: Set<Int>) throws(GroupError) -> Bool {
        let isReady = try ask("makes ready for \(partitions.sorted())") { [broker] in
            !broker.chance(broker.faults.delayed * 4)
        }
        broker.note("\(member) is \(isReady ? "" : "not yet ")ready for \(partitions.sorted())")
        return isReady
    }

    func commit(_ commits: [PartitionCommit]) -> [Result<UInt64, GroupError>] {
        commits.map { commit in
            change(
                "commits \(commit.partition) at \(commit.position) after \(commit.revision), \(commit.outputs.count) bytes, "
                    + "time \(commit.mark?.time ?? 0)\(commit.mark?.isIdle ?? false ? ", idle" : "")"
            ) { [broker] isLate in broker.commit(commit, isLate: isLate) }
        }
    }

    func read(_ positions: [Int: UInt64]) throws(GroupError) {
        let isAnswered = broker.pick(2) == 0
        func apply() {
            self.positions = positions
            cursor = positions.values.min() ?? UInt64(broker.published)
            isBroken = false
            hasAll = !hasMore
            marks = []
            guard broker.sourceCount > 0, let position = positions[0] else { return }
            // Another server may know less.
            let end = broker.chance(broker.faults.stale) ? max(0, broker.published - broker.pick(20)) : broker.published
            marks = broker.marks(behind: position, upTo: end).map { (position, $0.source, $0.mark) }
        }
        if let error = reach() { throw error }
        if broker.chance(broker.faults.lost) {
            // What is read from now on, nobody knows.
            if isAnswered { apply() }
            isBroken = true
            broker.note("\(member) reads \(positions.keys.sorted()): lost")
            throw Self.noAnswer
        }
        apply()
        broker.note("\(member) reads \(positions.sorted { $0.key < $1.key })")
        delay()
        if isDead { throw Self.end }
    }

    func receive(
        until limit: Timestamp,
        _ body: (_ partition: Int, _ number: UInt64, _ payload: ArraySlice<UInt8>) -> Void
    ) throws(GroupError) {
        // The program may be to end while messages come.
        let end = isDead ? nil : nextError
        nextError = nil
        if let error = reach() {
            // What comes meanwhile is missed.
            if error.kind == .unreachable, broker.pick(2) == 0 { cut() }
            throw error
        }
        // A connection that is broken says so some time or other.
        if isBroken, broker.pick(2) == 0 { throw Self.noAnswer }
        delay()
        for mark in marks { noteMark(0, mark.number, mark.source, mark.mark) }
        marks = []
        if broker.chance(broker.faults.silent) || broker.now < isStalledUntil && !hasAll { return }
        if broker.chance(broker.faults.again), !isBroken {
            let back = UInt64(broker.pick(6))
            cursor -= min(cursor, back)
        }
        var rest = 1 + broker.pick(end == nil ? 8 : 3)
        while cursor < UInt64(broker.published), rest > 0, !isDead {
            let message = broker.messages[Int(cursor)]
            cursor += 1
            guard positions[message.partition] != nil, !message.isRemoved else { continue }
            rest -= 1
            func handOver() {
                if !message.isHead { body(message.partition, message.number, message.payload[...]) }
                if let mark = message.mark { noteMark(message.partition, message.number, message.source, mark) }
            }
            handOver()
            if broker.chance(broker.faults.again) { handOver() }
            hasAll = !hasMore
            guard broker.chance(broker.faults.gap) else { continue }
            cut()
            broker.note("\(member) misses what is before \(cursor)")
            throw Self.noAnswer
        }
        if isDead { throw Self.end }
        if let end { throw end }
    }

    func observeMarks(
        _ body: @escaping (_ partition: Int, _ number: UInt64, _ source: Int, _ mark: TimeMark) -> Void
    ) { noteMark = body }

    private var hasMore: Bool {
        broker.tellsTime
            && broker.messages[min(Int(cursor), broker.published)..<broker.published].contains {
                positions[$0.partition] != nil
            }
    }

    /// Where nobody asks for time, it makes no difference.
    var isCaughtUp: Bool { !broker.tellsTime || hasAll }

    /// Breaks the connection: what comes before it is made again is lost.
    private func cut() {
        isBroken = true
        cursor = min(UInt64(broker.published), cursor + UInt64(broker.pick(4)))
    }

    /// Says nothing that could be relied on where nothing is read.
    func frontier(of partition: Int) -> UInt64 {
        broker.defect == .saysTooMuchWasRead ? UInt64(broker.published) : cursor
    }
}
