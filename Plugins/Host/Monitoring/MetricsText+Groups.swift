internal import WeirCore
internal import WeirGroups

// What a member of a group counts, for itself and for each of its partitions.
extension MetricsText {
    static let ofGroups: [Family] = [
        total("members", "gauge", "Members of the group that are there.") { UInt64($0.members) },
        total("partitions", "gauge", "Partitions that this member works at.") { UInt64($0.rows.count) },
        total("messages_total", "counter", "Messages that were handled, some of them twice after a takeover.") {
            $0.counts.messages
        },
        total("commits_total", "counter", "Commits of partitions that were kept.") { $0.counts.commits },
        total("refused_commits_total", "counter", "Commits that another member's had overtaken.") {
            $0.counts.refusedCommits
        },
        total("unclear_commits_total", "counter", "Commits of which no answer came.") { $0.counts.unclearCommits },
        total("restores_total", "counter", "Partitions that were begun, taken over or gone on with.") {
            $0.counts.restores
        },
        total("handovers_total", "counter", "Partitions that were handed over.") { $0.counts.handovers },
        total("lost_outputs_total", "counter", "Outputs that were left out, because servers take none of that size.") {
            $0.counts.lostOutputs
        },
        total("foreign_subjects", "gauge", "Subjects of the input that are of no partition, so that nobody reads them.")
        {
            UInt64($0.foreignSubjects)
        },
        perPartition("lag_messages", "Messages between the last one that was handled and the last one there is.") {
            $0.lag.map { "\($0)" }
        },
        perPartition("commit_age_seconds", "How long ago the last commit was.") { seconds($0.commitAge) },
        perPartition("state_bytes", "How large what is known is.") { "\($0.stateByteCount)" },
        perPartition("watermark_seconds", "The greatest event time so far, since the epoch.") {
            $0.watermark.map { seconds($0.nanosecondsSinceEpoch) }
        },
    ]

    private static func total(
        _ name: String,
        _ kind: String,
        _ help: String,
        _ value: @escaping @Sendable (GroupNumbers) -> UInt64
    ) -> Family {
        Family(name: "weir_group_\(name)", kind: kind, help: help) { numbers in
            numbers.group.map { [("", "\(value($0))")] } ?? []
        }
    }

    private static func perPartition(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (GroupStatus.Row) -> String?
    ) -> Family {
        Family(name: "weir_group_\(name)", kind: "gauge", help: help) { numbers in
            (numbers.group?.rows ?? []).compactMap { row in
                value(row).map { ("partition=\"\(row.partition)\"", $0) }
            }
        }
    }
}
