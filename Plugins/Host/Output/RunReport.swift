internal import WeirCore
internal import WeirRecords
internal import WeirReport

/// Gathers what the page of a run shows, and writes it at the end.
struct RunReport {
    /// How many rejected lines the page shows.
    private static let rejectionLimit = 200

    /// What the plugin draws on.
    let report = Report()

    /// What the page is about.
    var about: [(name: String, value: String)] = []

    private let title: String
    private let sink: any TransportSink
    private let rate = ReportLine(name: "events/s")
    private var rejections: [(line: UInt64, reason: String)] = []
    private var rejectedCount: UInt64 = 0
    private var lateCount: UInt64 = 0
    private var events: UInt64 = 0
    private var lastEvents: UInt64 = 0
    private var lastNanoseconds: Int64 = 0

    init(title: String, sink: any TransportSink) {
        self.title = title
        self.sink = sink
    }

    /// Counts a batch after its consumer took it.
    mutating func count(_ batch: borrowing RecordBatch, _ tally: Tally, nanoseconds: Int64) {
        events = tally.events
        rejectedCount = tally.rejected
        lateCount = tally.late
        for rejection in batch.rejections where rejections.count < Self.rejectionLimit && !rejection.isContinuation {
            rejections.append((rejection.line, rejection.reason))
        }
        // Over shorter stretches the clock and the batches would make the rate jump.
        guard nanoseconds - lastNanoseconds >= 10_000_000 else { return }
        let perSecond = Double(events - lastEvents) / (Double(nanoseconds - lastNanoseconds) / 1e9)
        rate.add(perSecond, at: Timestamp(nanosecondsSinceEpoch: nanoseconds))
        (lastEvents, lastNanoseconds) = (events, nanoseconds)
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - nanoseconds: How long the run took.
    ///   - counts: What the plugins counted.
    ///   - isWhole: Whether the run came to the end of its input; otherwise the page says so.
    /// - Throws: ``TransportError`` when the page cannot be written.
    func write(nanoseconds: Int64, counts: [NamedCount], isWhole: Bool) throws(TransportError) {
        var page = ReportPage(title: title, of: report)
        if !isWhole { page.facts.append(("interrupted", "covers what was read until then")) }
        page.facts += [
            (Quantity.grouped(events), "events read"),
            (Quantity.grouped(report.matchCount), report.matchCount == 1 ? "match" : "matches"),
            (Quantity.grouped(rejectedCount), "rejected"),
            (Quantity.seconds(nanoseconds) + " s", "duration of the run"),
            (Quantity.rate(events, in: nanoseconds), "events/s"),
        ]
        if lateCount > 0 { page.facts.append((Quantity.grouped(lateCount), "came too late")) }
        page.facts += counts.filter { $0.value > 0 }.map { (Quantity.grouped($0.value), $0.name) }
        page.about = about
        page.rejections = rejections
        page.rejectedCount = rejectedCount
        page.rate = rate.count > 1 ? rate : nil
        try sink.write(page.html())
        try sink.finish()
    }
}

extension RunRequest {
    /// What a page says that it is about: the inputs, and the options that were given.
    var about: [(name: String, value: String)] {
        var about = [(inputs.count == 1 ? "Input" : "Inputs", inputs.map(\.name).joined(separator: ", "))]
        about.append(("Format", Set(inputs.map(\.format.name)).sorted().joined(separator: ", ")))
        let options = instances.flatMap { instance in
            instance.plugin.options.compactMap { option in
                instance.values.given[option.name].map { value in
                    "--\(option.name) " + value.split(separator: "\n").joined(separator: ",")
                }
            }
        }
        about.append(("Options", options.isEmpty ? "none but the defaults" : options.joined(separator: " ")))
        return about
    }
}
