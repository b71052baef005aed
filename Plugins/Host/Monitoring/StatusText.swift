internal import WeirCore
internal import WeirRecords

/// How pipelines go at one moment, for people.
enum StatusText {
    /// A block of lines for each pipeline.
    static func text(_ statuses: [PipelineStatus]) -> String {
        statuses.map { status in
            let numbers = status.numbers
            var rows = [
                ("state", numbers.phase.word),
                ("events", Quantity.grouped(numbers.tally.events)),
                ("matches", Quantity.grouped(numbers.matches)),
                ("rejected", Quantity.grouped(numbers.tally.rejected)),
                ("pending", Quantity.grouped(UInt64(numbers.pending))),
                ("delay p50", Quantity.duration(numbers.delays.quantile(0.5))),
                ("delay p99", Quantity.duration(numbers.delays.quantile(0.99))),
            ]
            if numbers.tally.late > 0 { rows.append(("late", Quantity.grouped(numbers.tally.late))) }
            if let held = numbers.partialMatches { rows.append(("partial matches", Quantity.grouped(UInt64(held)))) }
            if let watermark = numbers.watermark { rows.append(("watermark", watermark.description)) }
            if numbers.restarts > 0 { rows.append(("restarts", String(numbers.restarts))) }
            if numbers.replacements > 0 { rows.append(("replacements", String(numbers.replacements))) }
            rows += numbers.counts.filter { $0.value > 0 }.map { (Quantity.grouped($0.value), $0.name) }
            rows += numbers.transports.map { ($0.name, "\($0.metrics)") }
            if let error = numbers.lastError { rows.append(("last error", error)) }
            // Names and errors are others' text, and a line each.
            return Excerpt.line("weir: \(status.name)") + "\n"
                + Table.text(rows.map { (Excerpt.line($0.0), Excerpt.line($0.1)) })
        }
        .joined()
    }
}
