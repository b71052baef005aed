internal import WeirFormats
internal import WeirRecords

/// Which member of a group has which partition.
package struct GroupMap: Sendable, Equatable {
    /// Who has a partition, and who gets it from them.
    package struct Assignment: Sendable, Equatable {
        /// `nil` where nobody has it.
        package var owner: String?

        /// `nil` where the owner is to keep it.
        package var next: String?

        /// Whether the next one has made ready what it can: until then the owner goes on.
        package var isPrepared: Bool

        package init(owner: String? = nil, next: String? = nil, isPrepared: Bool = false) {
            self.owner = owner
            self.next = next
            self.isPrepared = isPrepared
        }
    }

    package private(set) var assignments: [Assignment]

    /// Creates a map in which nobody has a partition.
    package init(partitionCount: Int) {
        assignments = [Assignment](repeating: Assignment(), count: partitionCount)
    }

    /// The partitions that a member is to work at, and those that it is to hand over.
    package func share(of member: String) -> GroupShare {
        var share = GroupShare()
        // Those of one owner come together, and those of the next one after them: first what is ready already.
        let coming = assignments.lazy.filter { $0.next == member }
        let giver = coming.filter(\.isPrepared).compactMap(\.owner).min() ?? coming.compactMap(\.owner).min()
        for (partition, assignment) in assignments.enumerated() {
            if assignment.next == member, assignment.owner == giver { share.coming.insert(partition) }
            guard assignment.owner == member else { continue }
            if assignment.next != nil, assignment.isPrepared {
                share.leaving.insert(partition)
            } else {
                share.kept.insert(partition)
                share.hasAnnounced = share.hasAnnounced || assignment.next != nil
            }
        }
        return share
    }

    // MARK: Changes

    /// Notes that a member has made ready what it can for partitions that it is to have.
    package mutating func prepare(_ partitions: some Sequence<Int>, by member: String) {
        for partition in partitions where assignments.indices.contains(partition) {
            if assignments[partition].next == member { assignments[partition].isPrepared = true }
        }
    }

    /// Notes that a member has let go of partitions that others are to have.
    package mutating func release(_ partitions: some Sequence<Int>, by member: String) {
        for partition in partitions where assignments.indices.contains(partition) {
            // Where another one is to have it by now, who is not ready yet, the owner takes it again sooner than that one would.
            guard assignments[partition].owner == member, assignments[partition].isPrepared,
                let next = assignments[partition].next
            else { continue }
            assignments[partition] = Assignment(owner: next)
        }
    }

    /// Spreads the partitions evenly over members.
    ///
    /// As few as possible change hands: what a member has, and is not too much, it keeps. What has no owner among them
    /// changes hands at once, other partitions once their owners have let go.
    ///
    /// - Parameters:
    ///   - members: Those that are to have some, at least one.
    ///   - leavers: Those that are there, and are to hand over all that they have.
    /// - Complexity: O(*p* + *m* log *m*) for *p* partitions and *m* members.
    package mutating func balance(among members: Set<String>, leavers: Set<String> = []) {
        let sorted = members.sorted()
        // Who is to have each partition in the end, as far as that is known.
        var targets = assignments.map { assignment in
            [assignment.next, assignment.owner].compactMap { $0 }.first(where: members.contains)
        }
        var counts: [String: Int] = [:]
        for target in targets { if let target { counts[target, default: 0] += 1 } }
        // Those that have most already get the one more that some have.
        let byCount = sorted.sorted { (counts[$0] ?? 0, $1) > (counts[$1] ?? 0, $0) }
        let (share, rest) = assignments.count.quotientAndRemainder(dividingBy: sorted.count)
        var quotas: [String: Int] = [:]
        for (index, member) in byCount.enumerated() { quotas[member] = share + (index < rest ? 1 : 0) }
        var open = quotas
        // Who has made ready for a partition gets it in any case, for its owner may just let go, and hands it on then.
        func isDecided(_ partition: Int) -> Bool {
            assignments[partition].isPrepared && assignments[partition].next == targets[partition]
        }
        for partition in targets.indices where isDecided(partition) { open[targets[partition] ?? ""]? -= 1 }
        for (partition, target) in targets.enumerated() where !isDecided(partition) {
            guard let target else { continue }
            if open[target] ?? 0 > 0 { open[target]? -= 1 } else { targets[partition] = nil }
        }
        var takers = sorted.flatMap { member in [String](repeating: member, count: max(0, open[member] ?? 0)) }[...]
        for partition in targets.indices {
            // The quotas add up to all partitions, or to more.
            guard let target = targets[partition] ?? takers.popFirst() else { continue }
            if let owner = assignments[partition].owner, members.contains(owner) || leavers.contains(owner) {
                let next = owner == target ? nil : target
                if assignments[partition].next != next { assignments[partition] = Assignment(owner: owner, next: next) }
            } else {
                assignments[partition] = Assignment(owner: target)
            }
        }
    }

    // MARK: Bytes

    /// The map as an object of JSON: names of members, and for each partition the index of its owner and the next one.
    package var encoded: [UInt8] {
        let names = Set(assignments.flatMap { [$0.owner, $0.next].compactMap { $0 } }).sorted()
        var indices: [String: Int] = [:]
        for (index, name) in names.enumerated() { indices[name] = index }
        func number(_ name: String?) -> Int { name.flatMap { indices[$0] } ?? -1 }
        var json = JSONWriter()
        json.object { json in
            json.member("members", names) { json, name in json.value(name) }
            json.member("owners", assignments) { json, assignment in json.value(number(assignment.owner)) }
            json.member("next", assignments) { json, assignment in json.value(number(assignment.next)) }
            json.member("prepared", assignments.indices.filter { assignments[$0].isPrepared }) { json, partition in
                json.value(partition)
            }
        }
        return json.bytes
    }

    /// Reads a map; there is none in bytes of anything else, or of another number of partitions.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - partitionCount: How many partitions it has to have; `nil` for any number.
    package init?(_ bytes: [UInt8], partitionCount: Int? = nil) {
        guard let json = try? JSONNode.read(bytes, allowsRepeatedNames: true), json.isObject else { return nil }
        let names = json["members"]?.elements.compactMap(\.text) ?? []
        let (owners, next) = (json["owners"]?.elements ?? [], json["next"]?.elements ?? [])
        guard owners.count == partitionCount ?? owners.count, next.count == owners.count else { return nil }
        func name(_ node: JSONNode) -> String? {
            node.integer.flatMap { names.indices.contains($0) ? names[$0] : nil }
        }
        assignments = zip(owners, next).map { Assignment(owner: name($0), next: name($1)) }
        for partition in json["prepared"]?.elements.compactMap(\.integer) ?? [] where owners.indices.contains(partition)
        {
            assignments[partition].isPrepared = true
        }
    }
}

/// The partitions of one member.
package struct GroupShare: Sendable, Equatable {
    /// Those that it works at.
    package var kept: Set<Int> = []

    /// Whether others are to have some of these, and make ready for that.
    package var hasAnnounced = false

    /// Those that others are ready for, and have as soon as it lets go.
    package var leaving: Set<Int> = []

    /// Those that it is to make ready for, and has as soon as their owner lets go: of one owner at a time, so that what was
    /// made ready for them is used for all of them.
    package var coming: Set<Int> = []

    /// Whether partitions are about to change hands, which pause until this member notices.
    package var isChanging: Bool { hasAnnounced || !leaving.isEmpty || !coming.isEmpty }

    package init() {}
}
