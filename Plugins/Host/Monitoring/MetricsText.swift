internal import WeirCore
internal import WeirRecords

/// Numbers of pipelines in the text format of Prometheus (version 0.0.4).
enum MetricsText {
    struct Family: Sendable {
        let name: String
        let kind: String
        let help: String
        let samples: @Sendable (PipelineStatus.Numbers) -> [(labels: String, value: String)]
    }

    /// The text.
    static func text(_ statuses: [PipelineStatus]) -> String {
        let all = statuses.map { (name: escaped($0.name), numbers: $0.numbers) }
        var text = ""
        for family in families {
            var lines = ""
            for (name, numbers) in all {
                for sample in family.samples(numbers) {
                    let suffix = sample.labels.hasPrefix("_") ? sample.labels : ""
                    let labels = suffix.isEmpty && !sample.labels.isEmpty ? "," + sample.labels : ""
                    lines += "\(family.name)\(suffix){pipeline=\"\(name)\"\(labels)} \(sample.value)\n"
                }
            }
            guard !lines.isEmpty else { continue }
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n" + lines
        }
        return text
    }

    private static func one(_ value: some BinaryInteger) -> [(labels: String, value: String)] { [("", "\(value)")] }

    private static let families =
        [
            Family(name: "weir_up", kind: "gauge", help: "Whether the pipeline runs.") {
                one($0.phase == .running ? 1 : 0)
            },
            Family(name: "weir_events_total", kind: "counter", help: "Events that were read.") { one($0.tally.events) },
            Family(name: "weir_matches_total", kind: "counter", help: "Complex events that were found.") {
                one($0.matches)
            },
            Family(name: "weir_rejected_total", kind: "counter", help: "Lines that were rejected.") {
                one($0.tally.rejected)
            },
            Family(name: "weir_late_total", kind: "counter", help: "Records that came later than the lateness.") {
                one($0.tally.late)
            },
            Family(name: "weir_read_bytes_total", kind: "counter", help: "Bytes that were read.") { one($0.byteCount) },
            Family(name: "weir_pending_records", kind: "gauge", help: "Records that were read and wait.") {
                one($0.pending)
            },
            Family(
                name: "weir_partial_matches",
                kind: "gauge",
                help: "Partial matches that patterns hold; of those that share nodes, the nodes."
            ) {
                $0.partialMatches.map(one) ?? []
            },
            Family(
                name: "weir_watermark_seconds",
                kind: "gauge",
                help: "The greatest event time so far, since the epoch."
            ) {
                $0.watermark.map { [("", seconds($0.nanosecondsSinceEpoch))] } ?? []
            },
            Family(
                name: "weir_delay_seconds",
                kind: "summary",
                help: "How long a batch took from its reading to its matches."
            ) {
                numbers in
                numbers.delays.total == 0
                    ? []
                    : [0.5, 0.99].map { ("quantile=\"\($0)\"", seconds(numbers.delays.quantile($0))) }
                        + [("_sum", seconds(numbers.delays.sum)), ("_count", "\(numbers.delays.total)")]
            },
            Family(name: "weir_restarts_total", kind: "counter", help: "How often the pipeline was started again.") {
                one($0.restarts)
            },
            Family(
                name: "weir_replacements_total",
                kind: "counter",
                help: "How often the plugins were replaced while it ran."
            ) {
                one($0.replacements)
            },
            Family(
                name: "weir_abandoned_partial_matches_total",
                kind: "counter",
                help: "Partial matches that were given up because the pipeline changed or was started again."
            ) {
                one($0.abandonedPartialMatches)
            },
            Family(name: "weir_state_age_seconds", kind: "gauge", help: "How long ago the state was saved.") {
                $0.state.map { [("", seconds((MonotonicClock().now() - $0.taken).wholeNanoseconds))] } ?? []
            },
            Family(name: "weir_state_bytes", kind: "gauge", help: "How large the last checkpoint is.") {
                $0.state.map { one($0.byteCount) } ?? []
            },
            Family(
                name: "weir_state_seconds",
                kind: "gauge",
                help: "How long the pipeline stood for the last checkpoint."
            ) {
                $0.state.map { [("", seconds($0.nanoseconds))] } ?? []
            },
            Family(
                name: "weir_state_failures_total",
                kind: "counter",
                help: "How often the state could not be saved."
            ) { $0.state == nil && $0.stateFailures == 0 ? [] : one($0.stateFailures) },
            Family(
                name: "weir_journal_bytes",
                kind: "gauge",
                help: "What arrived and is kept until it is saved."
            ) { $0.journals.map { one($0.kept) } ?? [] },
            Family(
                name: "weir_journal_lost_bytes_total",
                kind: "counter",
                help: "What arrived and could not be kept."
            ) { $0.journals.map { one($0.lost) } ?? [] },
            Family(
                name: "weir_plugin_count_total",
                kind: "counter",
                help: "What plugins count, such as what they discard."
            ) {
                // Two plugins may have counters of the same name, and a sample must not come twice.
                var counts: [(name: String, value: UInt64)] = []
                for count in $0.counts {
                    if let index = counts.firstIndex(where: { $0.name == count.name }) {
                        counts[index].value = NamedCount.sum(counts[index].value, count.value)
                    } else {
                        counts.append(count)
                    }
                }
                return counts.map { ("of=\"\(escaped($0.name))\"", "\($0.value)") }
            },
            perTransport("messages_total", "counter", "Messages that were sent to a transport.") { $0.sent },
            perTransport("delivered_total", "counter", "Messages that a transport handed on.") { $0.delivered },
            perTransport("pending_messages", "gauge", "Messages that wait in a transport.") { $0.pending },
            perTransport("lost_total", "counter", "Numbered messages that never came.") { $0.lost },
            perTransport("lost_bytes_total", "counter", "Bytes that are known to be lost.") { $0.lostBytes },
            perCause("rejected_total", "Messages that a transport refused.") { metrics in
                TransportMetrics.Rejection.allCases.map { ($0.rawValue, metrics[$0]) }
            },
            perCause("dropped_total", "Messages that a transport lost.") { metrics in
                TransportMetrics.Drop.allCases.map { ($0.rawValue, metrics[$0]) }
            },
        ] + ofGroups

    private static func perTransport(
        _ name: String,
        _ kind: String,
        _ help: String,
        _ value: @escaping @Sendable (TransportMetrics) -> UInt64
    ) -> Family {
        Family(name: "weir_transport_\(name)", kind: kind, help: help) { numbers in
            numbers.transports.map { ("transport=\"\(escaped($0.name))\"", "\(value($0.metrics))") }
        }
    }

    private static func perCause(
        _ name: String,
        _ help: String,
        _ counts: @escaping @Sendable (TransportMetrics) -> [(cause: String, count: UInt64)]
    ) -> Family {
        Family(name: "weir_transport_\(name)", kind: "counter", help: help) { numbers in
            numbers.transports.flatMap { transport in
                counts(transport.metrics).map { cause, count in
                    ("transport=\"\(escaped(transport.name))\",cause=\"\(escaped(cause))\"", "\(count)")
                }
            }
        }
    }

    static func seconds(_ nanoseconds: Int64) -> String {
        "\(Double(nanoseconds) / 1e9)"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        // By scalars: an end of line is one behind a return too, and a quote before an accent.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
