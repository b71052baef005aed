internal import WeirCore

/// Says which lines were rejected, and keeps them where that is wanted.
struct RejectionReport {
    private let console: Console
    private let pipeline: String?
    private let file: (any TransportSink)?
    private var reported = 0
    private var hasOpenLine = false

    /// How many rejections are shown; the others are only counted.
    private static let limit = 10

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - console: Where to say it.
    ///   - pipeline: Whose lines they are, where there are several pipelines.
    ///   - file: Where to keep the lines.
    init(_ console: Console, pipeline: String? = nil, keepingLinesIn file: (any TransportSink)?) {
        self.console = console
        self.pipeline = pipeline
        self.file = file
    }

    /// Reports the rejections of a batch.
    mutating func report(_ batch: borrowing RecordBatch) throws(TransportError) {
        try report(RejectedLine.all(of: batch))
    }

    /// Reports lines, in the order of the input.
    mutating func report(_ rejections: [RejectedLine]) throws(TransportError) {
        guard !rejections.isEmpty else { return }
        var lines: [UInt8] = []
        for rejection in rejections {
            if !rejection.isContinuation { show(rejection) }
            guard file != nil else { continue }
            if hasOpenLine, !rejection.isContinuation { lines.append(UInt8(ascii: "\n")) }
            lines += rejection.raw
            hasOpenLine = true
        }
        try file?.write(lines.span)
    }

    /// Ends the last line that was kept, and delivers what the file still keeps.
    mutating func finish() throws(TransportError) {
        if hasOpenLine { try file?.write([UInt8(ascii: "\n")].span) }
        hasOpenLine = false
        try file?.finish()
    }

    private mutating func show(_ rejection: RejectedLine) {
        guard reported <= Self.limit else { return }
        reported += 1
        guard reported <= Self.limit else {
            console.writeLine(
                "further rejections are only counted"
                    + (file == nil ? " (--rejected FILE keeps them)" : " here; the file has them all"),
                about: pipeline
            )
            return
        }
        let excerpt = Excerpt.of(rejection.raw, limit: 60)
        let place = rejection.input.map { "'\($0)', line \(rejection.line)" } ?? "line \(rejection.line)"
        console.writeLine("\(place) rejected: \(rejection.reason): \(excerpt)", about: pipeline)
    }
}
