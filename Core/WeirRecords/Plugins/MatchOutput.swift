internal import Synchronization
public import WeirCore

/// Where a plugin's complex events go: written as lines of JSON, or in the form that a host asks for, and kept until the
/// host takes them.
///
/// Thread safety: any thread; writing and taking exclude each other with a lock, which a match can afford.
public final class MatchOutput: Sendable {
    private struct State {
        var writer: FieldWriter
        var spare: [UInt8] = []
        var counts: [NamedCount] = []
        var remarks: [String] = []
        var partialMatches: [@Sendable () -> Int] = []
        var openSinks = 0
        var finishedSinks = 0
    }

    private let state: Locked<State>
    private let form: MatchForm

    /// What each line of a library begins with behind its brace.
    private let prefix: [UInt8]

    // Changed under the lock, read without it: hosts ask after each record.
    private let written = Atomic<UInt64>(0)

    /// The report that the run shows afterwards; `nil` if not requested.
    public let report: Report?

    /// Creates an output without lines.
    ///
    /// - Parameter report: The report that the run shows afterwards, if requested.
    public convenience init(report: Report? = nil) {
        self.init(report: report, form: .lines, plugin: nil)
    }

    /// Creates an output without matches.
    ///
    /// - Parameters:
    ///   - report: The report that the run shows afterwards, if requested.
    ///   - form: In which form matches are kept.
    ///   - plugin: A text that every match has as its first field, `plugin`; the report does without it.
    package init(report: Report?, form: MatchForm, plugin: String?) {
        self.report = report
        self.form = form
        prefix = FieldWriter.prefix(plugin: plugin, isItem: false)
        state = Locked(State(writer: FieldWriter(items: form.isItems, plugin: plugin)))
    }

    /// How many complex events were written in all.
    public var count: UInt64 { written.load(ordering: .relaxed) }

    /// The counts that were made, in their order.
    public var counts: [NamedCount] { state.withLock { $0.counts } }

    /// Makes a count that people will see.
    ///
    /// - Parameter name: What is counted, in words that follow the number, such as `locations discarded as inaccurate`.
    /// - Returns: The count, which starts at zero.
    public func makeCount(of name: String) -> NamedCount {
        let count = NamedCount(name)
        state.withLock { $0.counts.append(count) }
        return count
    }

    /// Shows people a count that something else keeps.
    ///
    ///     let losses = suspicions.losses
    ///     output.showCount(of: "partial matches were given up") { losses.partialMatches }
    ///
    /// - Parameters:
    ///   - name: What is counted, in words that follow the number.
    ///   - value: The number now, which never falls; called on any thread. It must not hold the pipeline, which holds the
    ///     output.
    public func showCount(of name: String, _ value: @escaping @Sendable () -> UInt64) {
        state.withLock { $0.counts.append(NamedCount(name, counted: value)) }
    }

    /// What the plugin says to people at the end of a run.
    package var remarks: [String] { state.withLock { $0.remarks } }

    /// Says something to people at the end of a run: a line, lower case, without a full stop.
    package func add(remark: String) { state.withLock { $0.remarks.append(remark) } }

    /// How many partial matches the plugin holds now; `nil` where it did not say how to find out.
    public var partialMatches: Int? {
        let all = state.withLock { $0.partialMatches }
        return all.isEmpty ? nil : all.reduce(0) { $0 + $1() }
    }

    /// Sets how to read the number of partial matches of a pattern, for displays and metrics.
    ///
    ///     let held = suspicions.partialMatches
    ///     output.showPartialMatches { held.value }
    ///
    /// - Parameter held: The number now; called on any thread, a few times a second at most. It must not hold the
    ///   pipeline, which holds the output.
    public func showPartialMatches(_ held: @escaping @Sendable () -> Int) {
        state.withLock { $0.partialMatches.append(held) }
    }

    /// Writes one complex event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: Its event time, where it is known.
    public func write(_ event: some FieldEncodable, at time: Timestamp? = nil) {
        state.withLock { state in
            state.writer.writeLine(event)
            written.add(1, ordering: .relaxed)
            report?.addMatch(at: time) {
                var writer = FieldWriter()
                writer.writeLine(event)
                return Array(writer.bytes.dropLast())
            }
        }
    }

    /// Writes complex events that are lines already.
    ///
    /// - Parameters:
    ///   - lines: UTF-8, each line with its line feed.
    ///   - count: How many lines there are.
    @unsafe
    public func write(lines: UnsafeBufferPointer<UInt8>, count: UInt64) {
        state.withLock { state in
            written.add(count, ordering: .relaxed)
            state.writer.append { matches in
                if keepsLines {
                    unsafe matches.append(contentsOf: lines)
                } else {
                    unsafe append(Array(lines), to: &matches)
                }
            }
        }
    }

    /// Whether lines are kept as they are: what has written many of them hands them over in one piece.
    package var keepsLines: Bool {
        if report == nil, prefix.isEmpty, case .lines = form { true } else { false }
    }

    /// Writes complex events that are lines already; ``keepsLines`` must hold.
    ///
    /// - Parameters:
    ///   - lines: UTF-8, each line with its line feed.
    ///   - count: How many lines there are.
    package func write(keptLines lines: [UInt8], count: UInt64) {
        precondition(keepsLines, "each line has to be looked at")
        state.withLock { state in
            written.add(count, ordering: .relaxed)
            state.writer.append { $0.append(contentsOf: lines) }
        }
    }

    /// Writes one complex event that is a line already.
    ///
    /// - Parameters:
    ///   - line: A JSON object in UTF-8, without a line feed.
    ///   - time: Its event time, where it is known.
    package func write(line: [UInt8], at time: Timestamp? = nil) {
        state.withLock { state in
            written.add(1, ordering: .relaxed)
            report?.addMatch(line, at: time)
            let whole = named(line[...])
            state.writer.append { matches in
                switch form {
                case .lines:
                    matches += whole
                    matches.append(UInt8(ascii: "\n"))
                case .items(let reading): reading(whole, &matches)
                }
            }
        }
    }

    /// Writes complex events as text for people.
    ///
    /// - Parameters:
    ///   - text: UTF-8, each line with its line feed.
    ///   - count: How many complex events the text shows.
    package func write(text: [UInt8], count: UInt64) {
        state.withLock { state in
            written.add(count, ordering: .relaxed)
            state.writer.append { append(text, to: &$0) }
        }
    }

    /// Appends lines in the form that was asked for, with the name of the plugin, and shows them to the report.
    private func append(_ text: [UInt8], to matches: inout [UInt8]) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        for line in lines {
            if !line.isEmpty { report?.addMatch(Array(line), at: nil) }
            let whole = named(line)
            switch form {
            case .lines:
                matches += whole
                matches.append(UInt8(ascii: "\n"))
            case .items(let reading): reading(whole, &matches)
            }
        }
    }

    /// The line with the name of the plugin as its first member, where it looks like an object.
    private func named(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard !prefix.isEmpty, line.first == UInt8(ascii: "{") else { return Array(line) }
        let rest = line.dropFirst()
        let first = rest.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return [UInt8(ascii: "{")] + prefix
            + (first == nil || first == UInt8(ascii: "}") ? [] : [UInt8(ascii: ",")]) + rest
    }

    /// Declares that no more matches can come.
    public func end() {
        state.withLock { state in
            state.openSinks = 0
            state.finishedSinks += 1
        }
    }

    /// A sink that writes each element that it receives.
    ///
    /// When all sinks have got their completion, nothing more can come, and the host stops reading.
    public func sink<Input: FieldEncodable>(of type: Input.Type = Input.self) -> MatchSink<Input> {
        state.withLock { $0.openSinks += 1 }
        return MatchSink(self)
    }

    /// Whether nothing more can come: there were sinks, and all have got their completion.
    public var isFinished: Bool { state.withLock { $0.openSinks == 0 && $0.finishedSinks > 0 } }

    @usableFromInline
    func closeSink() {
        state.withLock { state in
            state.openSinks = max(0, state.openSinks - 1)
            state.finishedSinks += 1
        }
    }

    /// Returns the lines written since the last call, and forgets them.
    ///
    /// - Parameter body: Called with the bytes; not called when there are none.
    /// - Throws: What `body` throws; the lines are then forgotten too.
    public func take<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        try takeMatches { matches throws(Failure) in
            // The span is of memory that stays as it is during the call.
            try unsafe matches.withUnsafeBufferPointer { matches throws(Failure) in try body(unsafe matches.span) }
        }
    }

    /// Returns the matches written since the last call, and forgets them.
    ///
    /// - Parameter body: Called with them in the form that was asked for; not called when there are none.
    /// - Throws: What `body` throws; the matches are then forgotten too.
    package func takeMatches<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        // The matches leave the lock before `body` writes them somewhere, and their memory comes back afterwards.
        var matches = state.withLock { state in
            state.writer.exchangeBytes(with: &state.spare)
            return exchange(&state.spare, with: [])
        }
        guard !matches.isEmpty else { return }
        defer {
            matches.removeAll(keepingCapacity: true)
            state.withLock { [matches] in $0.spare = matches }
        }
        try body(matches)
    }
}

/// Writes each element to a ``MatchOutput``.
@frozen
public struct MatchSink<Input: FieldEncodable>: Sink {
    @usableFromInline
    let output: MatchOutput

    @inlinable
    init(_ output: MatchOutput) {
        self.output = output
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        output.write(element, at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {
        output.closeSink()
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
