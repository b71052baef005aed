internal import WeirCore
internal import WeirFiles

/// Feeds a plugin with the records of an input, and writes down what it finds.
struct RunCommand {
    /// Why a run ended before its input did.
    private enum Ending {
        case endOfInput
        case interrupted
        /// Nobody reads the matches any more.
        case outputClosed
        case failed(HostError)
    }

    private let request: RunRequest
    private let console: Console
    private let interruption: Interruption?
    private let matches: MatchOutput
    private var page: RunReport?
    private let consumer: RecordConsumer
    private let source: any TransportSource
    private let sink: any TransportSink

    private var tally = Tally()
    private var progress: Progress
    private var rejections: RejectionReport

    /// Opens everything and starts the plugin; nothing is read yet.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - console: Where to tell people.
    ///   - interruption: What Ctrl-C triggers.
    /// - Throws: ``HostError`` when something cannot be opened, or the plugin does not start.
    init(_ request: RunRequest, console: Console, interruption: Interruption?) throws(HostError) {
        self.request = request
        self.console = console
        self.interruption = interruption
        // Before the plugin starts: a page that cannot be written is found out now, not after hours.
        page = try request.report.map { address throws(HostError) in
            try request.checkThatNothingIsOverwritten()
            return RunReport(title: "weir run \(request.plugin.name)", sink: try Self.openSink(address))
        }
        matches = MatchOutput(report: page?.report)
        do throws(PluginError) {
            consumer = try request.plugin.start(request.values, output: matches)
        } catch {
            throw .usage("\(error)")
        }
        try request.checkThatNothingIsOverwritten()
        InterruptSignal.catchFirst()
        source = try request.openSource()
        sink = try Self.openSink(request.output)
        let rejected: (any TransportSink)? = try request.rejected.map { address throws(HostError) in
            try Self.openSink(address)
        }
        rejections = RejectionReport(console, keepingLinesIn: rejected)
        progress = Progress(
            console,
            isOn: StandardStream.error.isTerminal && !request.readsTerminal,
            expectedByteCount: source.expectedByteCount
        )
    }

    private static func openSink(_ address: Address) throws(HostError) -> any TransportSink {
        do throws(TransportError) {
            return try address.transport.openSink(address.place)
        } catch {
            throw HostError(.cannotCreate, "\(error)")
        }
    }

    /// Reads the input to its end, or until something stops it.
    ///
    /// - Returns: How it ended; everything that there is to say was said.
    mutating func run() throws(HostError) -> ExitCode {
        var reader = RecordReader(
            source,
            format: request.format,
            schema: consumer.schema,
            limits: request.limits
        )
        showNotices()
        var ending = pump(&reader)
        switch ending {
        case .endOfInput, .interrupted: consumer.finish(.finished)
        case .outputClosed: consumer.finish(.finished)
        case .failed(let error): consumer.finish(.failed(error))
        }
        // The end may have brought matches of its own; where the output is at fault, it is of no use to go on.
        switch ending {
        case .endOfInput, .interrupted: if let fault = writeRest() { ending = fault }
        case .failed(let error): if error.exitCode == .noInput { _ = writeRest() }
        case .outputClosed: break
        }
        if let fault = finishSink() {
            if case .failed = ending {} else { ending = fault }
        }
        progress.erase()
        if let page, !isFailed(ending) {
            do throws(TransportError) {
                try page.write(nanoseconds: progress.elapsedNanoseconds, counts: matches.counts)
            } catch {
                ending = .failed(HostError(.outputFailed, "\(error)"))
            }
        }
        showNotices()
        showMetrics()
        return close(ending, byteCount: reader.byteCount)
    }

    private func isFailed(_ ending: Ending) -> Bool {
        if case .failed(let error) = ending { error.exitCode != .noInput } else { false }
    }

    /// Takes batch after batch.
    private mutating func pump(_ reader: inout RecordReader) -> Ending {
        do {
            while try reader.next({ batch in try take(&batch) }) {
                // A source that drains says itself when there is nothing more.
                if let interruption, interruption.isTriggered, !source.drainsWhenInterrupted { return .interrupted }
                if matches.isFinished { return .endOfInput }
                showNotices()
                progress.update(events: tally.events, byteCount: reader.byteCount)
            }
            return .endOfInput
        } catch let error as OutputError {
            return ending(of: error)
        } catch TransportError.interrupted {
            return .interrupted
        } catch let error as FormatError {
            return .failed(HostError(.noInput, request.explain(error)))
        } catch {
            return .failed(HostError(.noInput, "\(error)"))
        }
    }

    /// Has the plugin take a batch, and writes down what came of it.
    private mutating func take(_ batch: inout RecordBatch) throws(OutputError) {
        let found = batch.rejections.count
        consumer.receive(&batch)
        tally.count(batch, rejectedBefore: found)
        page?.count(batch, tally, nanoseconds: progress.elapsedNanoseconds)
        try writeMatches()
        guard !batch.rejections.isEmpty else { return }
        progress.erase()
        do throws(TransportError) {
            try rejections.report(batch)
        } catch {
            throw .rejections(error)
        }
    }

    private mutating func writeMatches() throws(OutputError) {
        let sink = sink
        do throws(TransportError) {
            try matches.take { lines throws(TransportError) in
                progress.erase()
                try sink.write(lines)
            }
        } catch {
            throw .matches(error)
        }
    }

    /// Writes what is left at the end.
    ///
    /// - Returns: What went wrong, if anything did.
    private mutating func writeRest() -> Ending? {
        do throws(OutputError) {
            try writeMatches()
            do throws(TransportError) {
                try rejections.finish()
            } catch {
                throw .rejections(error)
            }
            return nil
        } catch {
            return ending(of: error)
        }
    }

    /// Delivers what the sink still keeps.
    ///
    /// - Returns: What went wrong, if anything did.
    private func finishSink() -> Ending? {
        do throws(TransportError) {
            try sink.finish()
            return nil
        } catch {
            return ending(of: .matches(error))
        }
    }

    /// Says what people should know about the transports.
    private mutating func showNotices() {
        for meter in [source.meter, sink.meter] {
            for notice in meter?.takeNotices() ?? [] {
                progress.erase()
                console.writeLine(notice)
            }
        }
    }

    /// Says what became of the messages of those transports that could have lost some.
    private func showMetrics() {
        for (name, meter) in [("input", source.meter), ("output", sink.meter)] {
            guard let metrics = meter?.metrics, metrics.sent + metrics.refusedConnections > 0 else { continue }
            console.writeLine("\(name): \(metrics)")
        }
    }

    private func ending(of error: OutputError) -> Ending {
        switch error {
        case .matches(.closed): .outputClosed
        case .matches(let error), .rejections(let error): .failed(HostError(.outputFailed, "\(error)"))
        }
    }

    /// Says how it went.
    private func close(_ ending: Ending, byteCount: Int64) -> ExitCode {
        for count in matches.counts where count.value > 0 {
            console.writeLine("\(Quantity.grouped(count.value)) \(count.name)")
        }
        let summary = tally.summary(matches: matches.count, nanoseconds: progress.elapsedNanoseconds)
        switch ending {
        case .endOfInput:
            console.writeLine((byteCount == 0 ? "the input is empty; " : "") + summary)
            return request.isStrict && tally.rejected > 0 ? .inputRejected : .done
        case .interrupted:
            console.writeLine("interrupted; " + summary)
            return .interrupted
        case .outputClosed:
            return .done
        case .failed(let error):
            console.writeLine(error.message)
            if tally.events > 0 || tally.rejected > 0 { console.writeLine("stopped early; " + summary) }
            return error.exitCode
        }
    }
}

/// What failed while a batch was being taken.
private enum OutputError: Error {
    case matches(TransportError)
    case rejections(TransportError)
}
