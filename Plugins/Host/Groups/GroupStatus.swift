internal import WeirCore
internal import WeirFormats
internal import WeirGroups
internal import WeirRecords

/// What a member of a group tells the others of itself.
struct GroupStatus: Sendable {
    /// How far a partition is.
    struct Row: Sendable {
        let partition: Int

        /// By how many messages of the whole input the last one of the partition is ahead; 0 where all were handled, `nil`
        /// where that is not known.
        let lag: UInt64?
        let position: UInt64

        /// How long ago the last commit was, in nanoseconds.
        let commitAge: Int64
        let stateByteCount: Int
        let watermark: Timestamp?
    }

    let program: String

    /// When it was written.
    let time: Timestamp
    let events: UInt64
    let matches: UInt64
    let counts: GroupWorker.Counts
    let rows: [Row]

    var encoded: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("program", program)
            json.member("time", time.nanosecondsSinceEpoch)
            json.member("events", events)
            json.member("matches", matches)
            json.member("messages", counts.messages)
            json.member("commits", counts.commits)
            json.member("refused", counts.refusedCommits)
            json.member("unclear", counts.unclearCommits)
            json.member("restores", counts.restores)
            json.member("handovers", counts.handovers)
            json.member("partitions", rows) { json, row in
                json.object { json in
                    json.member("number", row.partition)
                    if let lag = row.lag { json.member("lag", lag) }
                    json.member("position", row.position)
                    json.member("age", row.commitAge)
                    json.member("state", row.stateByteCount)
                    if let watermark = row.watermark { json.member("watermark", watermark.nanosecondsSinceEpoch) }
                }
            }
        }
        return json.bytes
    }
}

extension GroupStatus {
    /// Reads what a member has written.
    ///
    /// - Returns: `nil` for what is none of that.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONNode.read(bytes, allowsRepeatedNames: true), let program = json["program"]?.text,
            let time = json["time"]?.integer
        else { return nil }
        func number(_ node: JSONNode?, _ name: String) -> UInt64 { node?[name]?.unsigned ?? 0 }
        var counts = GroupWorker.Counts()
        counts.messages = number(json, "messages")
        counts.commits = number(json, "commits")
        counts.refusedCommits = number(json, "refused")
        counts.unclearCommits = number(json, "unclear")
        counts.restores = number(json, "restores")
        counts.handovers = number(json, "handovers")
        let rows = (json["partitions"]?.elements ?? []).map { node in
            Row(
                partition: node["number"]?.integer ?? 0,
                lag: node["lag"]?.unsigned,
                position: number(node, "position"),
                commitAge: Int64(node["age"]?.integer ?? 0),
                stateByteCount: node["state"]?.integer ?? 0,
                watermark: node["watermark"]?.integer.map { Timestamp(nanosecondsSinceEpoch: Int64($0)) }
            )
        }
        self.init(
            program: program,
            time: Timestamp(nanosecondsSinceEpoch: Int64(time)),
            events: number(json, "events"),
            matches: number(json, "matches"),
            counts: counts,
            rows: rows
        )
    }
}
