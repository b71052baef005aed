package import WeirCore
internal import WeirFormats
internal import WeirRecords

/// What has to be the same for all members of a group.
package struct GroupSettings: Sendable {
    package struct Setting: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name of the setting that says how many partitions there are.
    package static let partitionCountName = "--partitions"

    /// How members tell each other what they do, as a setting of each group; 1 where a group has no such setting.
    ///
    /// It grows with each change that members of an older program do not know: such as that partitions are made ready for
    /// before they change hands, since 2, and that a commit may have the changes of a state alone, since 3. They would wait
    /// for each other for good, or could not go on.
    package static let version = Setting("version of groups", "3")

    package var settings: [Setting]
    package var partitionCount: Int

    /// Whether a member with other settings changes those of the group; those that have the old ones end then.
    package var replaces = false

    /// How long a member may be silent before others take its partitions, in nanoseconds.
    package var lease: Int64 = 2_000_000_000

    /// How often a member says that it is there, in nanoseconds.
    package var renewal: Int64 = 500_000_000

    package init(_ settings: [Setting], partitionCount: Int) {
        self.settings = settings + [Self.version]
        self.partitionCount = partitionCount
    }

    var encoded: [UInt8] {
        var json = JSONWriter()
        json.object { json in for setting in settings { json.member(setting.name, setting.value) } }
        return json.bytes
    }

    /// How others differ from these, in words.
    func differences(from bytes: [UInt8]) -> [String] {
        func shown(_ value: String) -> String { "'\(Excerpt.of(value.utf8, limit: 40))'" }
        guard let json = try? JSONNode.read(bytes, allowsRepeatedNames: true), json.isObject else {
            return ["what is known of it is of another program"]
        }
        var old: [String: String] = [:]
        for member in json.members { old[member.name] = member.value.text ?? "" }
        var differences: [String] = []
        let version = old.removeValue(forKey: Self.version.name) ?? "1"
        for setting in settings where setting.name != Self.version.name {
            guard let before = old.removeValue(forKey: setting.name) else {
                differences.append("\(setting.name) was not given")
                continue
            }
            guard before != setting.value else { continue }
            let isLong = [before, setting.value].contains { value in
                value.utf8.count > 40 || value.utf8.contains { $0 < 0x20 }
            }
            differences.append(
                isLong
                    ? "\(setting.name) is another one"
                    : "\(setting.name) is \(shown(before)) there and \(shown(setting.value)) here"
            )
        }
        differences += old.keys.sorted().map { "\($0) is given there" }
        if version != Self.version.value {
            differences.append(
                "its members are of another version of weir (\(Excerpt.of(version.utf8, limit: 20)) there, \(Self.version.value) here); end all of "
                    + "them, and start members with --state-mismatch drop, which keep what is known where nothing else differs"
            )
        }
        return differences
    }
}

/// A member's view of its group: who else is in it, and which partitions are whose.
///
/// A member says again and again that it is there. The others see that by their own clocks, so clocks need not agree. The
/// first of those that are there, by name, proposes a new map when a member comes or goes; if two think that they are the
/// first, one of their maps is refused. All this decides who works at what, and how soon others take over; it does not decide
/// what is right: see ``PartitionLog``.
///
/// Thread safety: one thread at a time. Time is handed in.
package struct GroupMembership {
    /// A member as it was last seen.
    private struct Sight {
        var revision: UInt64
        var time: Timestamp
        var isLeaving: Bool
    }

    package let member: String
    private let settings: GroupSettings
    private let values: any SharedValues

    private var sights: [String: Sight] = [:]
    private var lastRenewal: Timestamp?
    private var hasChecked = false
    /// What was read of the settings with a smaller revision is older than what this member has joined with.
    private var settingsRevision: UInt64 = 0

    /// Partitions that were let go, which the map does not say yet.
    private var released: Set<Int> = []

    /// The map as it was read last; `nil` where it was written since.
    private var known: (map: GroupMap, revision: UInt64)?

    /// Whether this member is to hand over all that it has, and whether it has said so.
    private var isLeaving = false
    private var hasSaidThatItLeaves = false

    /// Those that are there, this one among them.
    package private(set) var members: Set<String> = []

    /// Those among them that stay: who leaves hands over to them.
    package private(set) var heirs: Set<String> = []

    /// How often this member has proposed a map that was taken.
    package private(set) var proposalCount: UInt64 = 0

    package static let settingsKey = "group"
    package static let mapKey = "map"

    /// There once a member has committed something: what partitions know cannot be missing then.
    package static let begunKey = "begun"
    package static let memberKey = "member."

    /// What a member says of itself that is to hand over all that it has.
    private static let leavingMark = Array("leaving".utf8)

    /// What the keys begin with under which members tell of themselves.
    package static let statusKey = "status."

    /// Creates a member that is in no group yet.
    ///
    /// - Parameters:
    ///   - member: A name that no other member has or had: letters, digits, `-` and `_`.
    ///   - settings: Those of the group.
    ///   - values: Where the group keeps who is in it.
    package init(_ member: String, _ settings: GroupSettings, in values: any SharedValues) {
        self.member = member
        self.settings = settings
        self.values = values
    }

    /// Says that this member is there where that is due, and finds out what is its share.
    ///
    /// To be called several times within ``GroupSettings/renewal``.
    ///
    /// - Parameters:
    ///   - now: The time, which never goes back.
    ///   - released: Partitions that this member was to hand over, and has let go of.
    ///   - prepared: Partitions that it is to have, and has made ready for.
    ///   - isLeaving: Whether it is to hand over all that it has, as before its end; from then on it gets no others.
    /// - Returns: Its share.
    /// - Throws: ``GroupError``; ``GroupError/Kind/refused`` where the group has other settings.
    package mutating func step(
        _ now: Timestamp,
        released: [Int] = [],
        prepared: Set<Int> = [],
        isLeaving: Bool = false
    ) throws(GroupError) -> GroupShare {
        self.released.formUnion(released)
        self.isLeaving = self.isLeaving || isLeaving
        // First what was let go: its partitions stand still until others know.
        if !self.released.isEmpty, let known, let share = try write(prepared, to: known.map, known.revision) {
            return share
        }
        let isDue = lastRenewal.map { (now - $0).wholeNanoseconds >= settings.renewal } ?? true
        if hasChecked, isDue || self.isLeaving && !hasSaidThatItLeaves { try renew(now) }
        let found = try values.values([Self.settingsKey, Self.mapKey, Self.memberKey + "*"])
        try check(found[Self.settingsKey])
        // Another member was faster: what it said is read by the next call.
        guard hasChecked else { return GroupShare() }
        guard lastRenewal != nil else {
            // With other settings it never was a member.
            try renew(now)
            return GroupShare()
        }
        look(at: found, now)
        let share = try share(found[Self.mapKey], prepared)
        try removeSilent(now)
        return share
    }

    /// Says that this member is there.
    private mutating func renew(_ now: Timestamp) throws(GroupError) {
        try values.put(Self.memberKey + member, isLeaving ? Self.leavingMark : [])
        lastRenewal = now
        hasSaidThatItLeaves = isLeaving
    }

    private mutating func check(_ found: SharedValue?) throws(GroupError) {
        if let found {
            guard found.revision >= settingsRevision else { return }
            guard found.bytes != settings.encoded else {
                settingsRevision = found.revision
                return hasChecked = true
            }
            let differences = settings.differences(from: found.bytes)
            let isDivided = differences.contains { $0.hasPrefix(GroupSettings.partitionCountName) }
            guard settings.replaces, !hasChecked, !isDivided else {
                throw GroupError(
                    .refused,
                    hasChecked
                        ? "the group was joined with other settings, and goes on with those"
                        : "the group is another one: " + differences.joined(separator: ", ")
                            + (isDivided ? "; keys would be in other partitions, so give it another name" : "")
                )
            }
        }
        do throws(GroupError) {
            try values.replace(Self.settingsKey, settings.encoded, revision: found?.revision ?? 0)
            hasChecked = true
            settingsRevision = (found?.revision ?? 0) + 1
        } catch {
            guard error.kind == .outdated else { throw error }
        }
    }

    /// Finds out who is there.
    private mutating func look(at found: [String: SharedValue], _ now: Timestamp) {
        var seen: [String: Sight] = [:]
        for (key, value) in found where key.hasPrefix(Self.memberKey) {
            let name = String(key.dropFirst(Self.memberKey.count))
            let before = sights[name]
            // What is older than what was read before says nothing.
            if let before, value.revision <= before.revision {
                seen[name] = before
            } else {
                seen[name] = Sight(revision: value.revision, time: now, isLeaving: value.bytes == Self.leavingMark)
            }
        }
        sights = seen
        let present = seen.filter { (now - $0.value.time).wholeNanoseconds < settings.lease }
        members = Set(present.keys)
        heirs = Set(present.filter { !$0.value.isLeaving }.keys)
        // What was read may be older than what this member has written.
        members.insert(member)
        if isLeaving { heirs.remove(member) } else { heirs.insert(member) }
    }

    private mutating func share(_ found: SharedValue?, _ prepared: Set<Int>) throws(GroupError) -> GroupShare {
        let map =
            found.flatMap { GroupMap($0.bytes, partitionCount: settings.partitionCount) }
            ?? GroupMap(partitionCount: settings.partitionCount)
        known = (map, found?.revision ?? 0)
        return try write(prepared, to: map, found?.revision ?? 0) ?? map.share(of: member)
    }

    /// Changes the map where it is to be another one.
    ///
    /// - Returns: The share by the map as it is then; `nil` where it is as before, because another member was faster.
    private mutating func write(
        _ prepared: Set<Int>,
        to before: GroupMap,
        _ revision: UInt64
    ) throws(GroupError) -> GroupShare? {
        var map = before
        map.release(released, by: member)
        map.prepare(prepared, by: member)
        if member == heirs.min() { map.balance(among: heirs, leavers: members.subtracting(heirs)) }
        if map != before {
            // Whatever becomes of it, the next one follows another revision.
            known = nil
            do throws(GroupError) {
                try values.replace(Self.mapKey, map.encoded, revision: revision)
                proposalCount += 1
            } catch {
                guard error.kind == .outdated else { throw error }
                return nil
            }
        }
        released = []
        return map.share(of: member)
    }

    /// Ends the membership, so that others take the partitions at once.
    ///
    /// - Throws: ``GroupError``; then they take them when the lease is over.
    package mutating func leave() throws(GroupError) {
        guard lastRenewal != nil else { return }
        lastRenewal = nil
        // First what lets others take over.
        try values.remove(Self.memberKey + member)
        try values.remove(Self.statusKey + member)
    }

    /// Removes what is left of members that have been silent for a long time.
    private func removeSilent(_ now: Timestamp) throws(GroupError) {
        guard member == members.min() else { return }
        let silent = sights.filter { $0.key != member && (now - $0.value.time).wholeNanoseconds > 10 * settings.lease }
        for name in silent.keys.sorted() {
            do throws(GroupError) {
                try values.remove(Self.statusKey + name)
                try values.remove(Self.memberKey + name)
            } catch {
                // The share is what counts; the next call tries again.
                guard error.kind == .unreachable else { throw error }
                return
            }
        }
    }
}
