internal import WeirCore
internal import WeirFormats
internal import WeirGroups
internal import WeirRecords

/// The numbers of a pipeline as they go over the control socket: JSON, in this program's own words.
struct StatusReport: Sendable {
    var name = ""
    var state = ""
    var events = 0.0
    var matches = 0.0
    var rejected = 0.0
    var late = 0.0
    var bytes = 0.0
    var pending = 0.0
    /// `nil` where no plugin says.
    var partialMatches: Double?
    /// In seconds since the epoch.
    var watermark: Double?
    /// In nanoseconds.
    var median = 0.0
    var tail = 0.0
    var restarts = 0.0
    var lastError: String?
    /// What was left out, by its cause.
    var counts: [(name: String, value: Double)] = []
    /// What a member of a group counts beside that.
    var group: [(name: String, value: Double)] = []

    /// Whether it does not run, and not because it is done.
    var isInTrouble: Bool { state == PipelineStatus.Phase.waitingWord || state == PipelineStatus.Phase.failedWord }

    init(_ status: PipelineStatus) {
        let numbers = status.numbers
        name = status.name
        state = numbers.phase.word
        events = Double(numbers.tally.events)
        matches = Double(numbers.matches)
        rejected = Double(numbers.tally.rejected)
        late = Double(numbers.tally.late)
        bytes = Double(numbers.byteCount)
        pending = Double(numbers.pending)
        partialMatches = numbers.partialMatches.map(Double.init)
        watermark = numbers.watermark.map { Double($0.nanosecondsSinceEpoch) / 1e9 }
        median = Double(numbers.delays.quantile(0.5))
        tail = Double(numbers.delays.quantile(0.99))
        restarts = Double(numbers.restarts)
        lastError = numbers.lastError
        counts = numbers.counts.map { ($0.name, Double($0.value)) }
        if let group = numbers.group {
            let lag = group.rows.reduce(0) { $0 + Double($1.lag ?? 0) }
            pending += lag
            self.group = [
                ("members of the group", Double(group.members)), ("partitions", Double(group.rows.count)),
                ("commits", Double(group.counts.commits)), ("restores", Double(group.counts.restores)),
                ("refused commits", Double(group.counts.refusedCommits)),
                ("unclear commits", Double(group.counts.unclearCommits)),
                ("handovers", Double(group.counts.handovers)),
                ("foreign subjects", Double(group.foreignSubjects)),
            ]
            counts.append(("lost outputs", Double(group.counts.lostOutputs)))
        }
        for (transport, metrics) in numbers.transports {
            pending += Double(metrics.pending)
            if metrics.lostBytes > 0 { counts.append(("\(transport): bytes lost", Double(metrics.lostBytes))) }
            counts += TransportMetrics.Rejection.allCases.filter { metrics[$0] > 0 }.map {
                ("\(transport): rejected, \($0.rawValue)", Double(metrics[$0]))
            }
            counts += TransportMetrics.Drop.allCases.filter { metrics[$0] > 0 }.map {
                ("\(transport): dropped, \($0.rawValue)", Double(metrics[$0]))
            }
        }
    }

    /// A count, or a duration in nanoseconds, of a program that may be anything: within what can be shown.
    private static func count(_ text: String) -> Double { min(max(Double(text) ?? 0, 0), greatestCount) }

    private static let greatestCount = 1e18

    private static func counts(_ members: [JSONNode.Member]) -> [(name: String, value: Double)] {
        members.map { member in
            guard case .number(let text) = member.value.value else { return (member.name, 0) }
            return (member.name, count(text))
        }
    }

    private init(_ node: JSONNode) {
        guard case .object(let members) = node.value else { return }
        for member in members {
            switch (member.name, member.value.value) {
            case ("name", .text(let text)): name = text
            case ("state", .text(let text)): state = text
            case ("events", .number(let text)): events = Self.count(text)
            case ("matches", .number(let text)): matches = Self.count(text)
            case ("rejected", .number(let text)): rejected = Self.count(text)
            case ("late", .number(let text)): late = Self.count(text)
            case ("bytes", .number(let text)): bytes = Self.count(text)
            case ("pending", .number(let text)): pending = Self.count(text)
            case ("partial_matches", .number(let text)): partialMatches = Self.count(text)
            case ("last_error", .text(let text)): lastError = text
            case ("watermark_s", .number(let text)): watermark = Double(text).map { min(max($0, -9e9), 9e9) }
            case ("delay_p50_ns", .number(let text)): median = Self.count(text)
            case ("delay_p99_ns", .number(let text)): tail = Self.count(text)
            case ("restarts", .number(let text)): restarts = Self.count(text)
            case ("counts", .object(let found)): counts = Self.counts(found)
            case ("group", .object(let found)): group = Self.counts(found)
            default: break
            }
        }
    }

    /// Reads what ``text(_:)`` wrote.
    ///
    /// - Returns: `nil` for anything else.
    static func read(_ text: String) -> [StatusReport]? {
        guard
            let root = try? JSONNode.read(Array(text.utf8)),
            case .object(let members) = root.value,
            case .array(let pipelines)? = members.first(where: { $0.name == "pipelines" })?.value.value
        else { return nil }
        return pipelines.map { StatusReport($0) }
    }

    /// Writes reports as a line of JSON.
    static func text(_ statuses: [PipelineStatus]) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("weir", Version.text)
            json.member("pipelines", statuses) { json, status in
                json.object { json in StatusReport(status).write(to: &json) }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private func write(to json: inout JSONWriter) {
        json.member("name", name)
        json.member("state", state)
        json.member("events", Int64(events))
        json.member("matches", Int64(matches))
        json.member("rejected", Int64(rejected))
        json.member("late", Int64(late))
        json.member("bytes", Int64(bytes))
        json.member("pending", Int64(pending))
        json.member("delay_p50_ns", Int64(median))
        json.member("delay_p99_ns", Int64(tail))
        json.member("restarts", Int64(restarts))
        if let partialMatches { json.member("partial_matches", Int64(partialMatches)) }
        if let watermark {
            json.name("watermark_s")
            json.value(watermark)
        }
        // Two plugins may have counters of the same name.
        var sums: [(name: String, value: Double)] = []
        for count in counts {
            if let index = sums.firstIndex(where: { $0.name == count.name }) {
                sums[index].value += count.value
            } else {
                sums.append(count)
            }
        }
        func write(_ name: String, _ counts: [(name: String, value: Double)]) {
            json.name(name)
            json.object { json in
                for count in counts { json.member(count.name, Int64(min(count.value, Self.greatestCount))) }
            }
        }
        write("counts", sums)
        if !group.isEmpty { write("group", group) }
        if let lastError { json.member("last_error", lastError) }
    }
}
