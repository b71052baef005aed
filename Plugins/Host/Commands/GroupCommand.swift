internal import WeirCore
internal import WeirDispatch
internal import WeirGroups
internal import WeirRecords

/// Shows who is in a group, and how far its partitions are: `weir group`.
struct GroupCommand: Command {
    static let name = "group"
    static let operands = "NAME ADDRESS"
    static let summary = "Show the members and partitions of a group"
    static let examples: [HelpPage.Example] = [
        ("weir group fraud nats://127.0.0.1", ""), ("weir group fraud nats://one,two --all", "every partition"),
        ("weir group fraud nats://127.0.0.1 --json", "for programs"),
    ]
    static let usage = ["weir group NAME nats://HOST:PORT [OPTIONS]"]
    static let options = [all, json]
    static let remark = """
        LAG is how many messages of the whole input lie between the last one of the
        partition that was handled and the last one there is: at most that many wait.
        TAKEN counts partitions that were begun, taken over or gone on with; REFUSED
        counts commits that another member's had overtaken, which changed nothing.
        The partitions that lag most come first. Exit code 1 where some have no member.
        """

    private static let all = OptionDeclaration("all", .flag, help: "show every partition")
    private static let json = OptionDeclaration("json", .flag, help: "show everything as JSON")

    private let group: String
    private let address: Address
    private let showsAll: Bool
    private let isJSON: Bool

    /// How many partitions are shown, so that it fits a screen.
    private static let shownCount = 10

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard arguments.places.count == 2 else {
            throw .usage("name the group and a server of it, such as 'weir group fraud nats://127.0.0.1'")
        }
        group = arguments.places[0]
        address = try Address(arguments.places[1], .input, registry)
        guard address.transport is any GroupTransport else {
            throw .usage("'\(address.name)' keeps no groups; name a server, such as nats://127.0.0.1")
        }
        showsAll = arguments.options[Self.all.name] != nil
        isJSON = arguments.options[Self.json.name] != nil
    }

    /// A member as it shows itself.
    private struct Member {
        let name: String

        /// Whether it says that it is there.
        let isThere: Bool
        let status: GroupStatus?

        /// How long ago it has told of itself, in nanoseconds, as far as the clocks agree.
        var age: Int64 { status.map { max(0, (WallClock().now() - $0.time).wholeNanoseconds) } ?? 0 }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        guard let transport = address.transport as? any GroupTransport else { return .usage }
        let before: [String: SharedValue]
        let now: [String: SharedValue]
        do throws(GroupError) {
            let values = try transport.findGroup(group, at: address.place)
            before = try values.values([GroupMembership.memberKey + "*"])
            // Those that are there say so several times meanwhile.
            _ = Parker().park(until: MonotonicClock().now().shifted(byNanoseconds: 1_200_000_000))
            now = try values.values([
                GroupMembership.mapKey, GroupMembership.memberKey + "*",
                GroupMembership.statusKey + "*",
            ])
        } catch {
            throw HostError(error)
        }
        let map = now[GroupMembership.mapKey].flatMap { GroupMap($0.bytes) }
        var names = Set(
            now.keys.filter { $0.hasPrefix(GroupMembership.memberKey) }
                .map { String($0.dropFirst(GroupMembership.memberKey.count)) }
        )
        // Who has partitions and says nothing may be there, and unable to.
        for assignment in map?.assignments ?? [] {
            names.formUnion([assignment.owner, assignment.next].compactMap { $0 })
        }
        let members = names.sorted().map { name in
            let key = GroupMembership.memberKey + name
            return Member(
                name: name,
                isThere: before[key]?.revision != now[key]?.revision,
                status: now[GroupMembership.statusKey + name].flatMap { GroupStatus($0.bytes) }
            )
        }
        let living = Set(members.filter(\.isThere).map(\.name))
        let lonely = map?.assignments.count { !living.contains($0.owner ?? "") } ?? 0
        _ = try context.show(isJSON ? Self.json(map, members) : text(map, members, lonely))
        return lonely == 0 && map != nil ? .done : .inputRejected
    }

    // MARK: Text

    private func text(_ map: GroupMap?, _ members: [Member], _ lonely: Int) -> String {
        let there = members.count(where: \.isThere)
        let count = map?.assignments.count ?? 0
        var text =
            "\(group): \(Quantity.counted(UInt64(there), "member", "members")), "
            + Quantity.counted(UInt64(count), "partition", "partitions")
            + (lonely > 0 ? ", \(lonely) of them without a member that is there" : "") + "\n"
        if there < members.count {
            text +=
                "those that are silent have ended, or cannot write that they are there: see whether the servers have room left\n"
        }
        let head = ["MEMBER", "PARTITIONS", "EVENTS", "MATCHES", "COMMITS", "REFUSED", "TAKEN"]
        var rows: [[String]] = []
        for member in members {
            let share = map?.share(of: member.name)
            let counts = member.status?.counts
            rows.append(
                [
                    member.name + (member.isThere ? "" : " (silent)"),
                    "\(share?.kept.count ?? 0)"
                        + (share.map { $0.leaving.isEmpty ? "" : "+\($0.leaving.count)" } ?? ""),
                ]
                    + [
                        member.status?.events, member.status?.matches, counts?.commits, counts?.refusedCommits,
                        counts?.restores,
                    ].map { $0.map(Quantity.grouped) ?? "-" }
            )
        }
        text += "\n" + Self.columns(head, rows)
        let partitions = members.flatMap { member in
            (member.isThere ? member.status?.rows ?? [] : []).map { (member.name, $0, member.age) }
        }.sorted { ($1.1.lag ?? 0, $1.1.commitAge, $0.1.partition) < ($0.1.lag ?? 0, $0.1.commitAge, $1.1.partition) }
        let shown =
            showsAll ? partitions.sorted { $0.1.partition < $1.1.partition } : Array(partitions.prefix(Self.shownCount))
        guard !shown.isEmpty else { return text }
        text += "\n"
        text += Self.columns(
            ["PARTITION", "MEMBER", "LAG", "COMMIT", "STATE", "WATERMARK"],
            shown.map { name, row, age in
                [
                    "\(row.partition)", name, row.lag.map(Quantity.grouped) ?? "-",
                    "\(Quantity.duration(row.commitAge + age)) ago",
                    Quantity.grouped(UInt64(max(0, row.stateByteCount))),
                    row.watermark.map { "\($0)" } ?? "-",
                ]
            }
        )
        let rest = partitions.count - shown.count
        if rest > 0 { text += "and \(rest) more (--all shows them)\n" }
        return text
    }

    /// Texts below each other; those that are numbers stand at the right.
    private static func columns(_ head: [String], _ rows: [[String]]) -> String {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let gap = String(repeating: " ", count: widths[column] - text.count)
                let isText = ["MEMBER", "WATERMARK"].contains(head[column])
                line += (column == 0 ? "" : "  ") + (isText ? text + gap : gap + text)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }
        .joined()
    }

    // MARK: JSON

    private static func json(_ map: GroupMap?, _ members: [Member]) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("members", members) { json, member in
                json.object { json in
                    json.member("name", member.name)
                    json.member("there", member.isThere)
                    if let status = member.status { json.member("status", json: status.encoded) }
                }
            }
            json.member("partitions", map?.assignments ?? []) { json, assignment in
                json.object { json in
                    if let owner = assignment.owner { json.member("member", owner) }
                    if let next = assignment.next { json.member("next", next) }
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
}
