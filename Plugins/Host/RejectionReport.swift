internal import WeirCore

/// Says which lines were rejected, and keeps them where that is wanted.
struct RejectionReport {
    private let console: Console
    private let file: (any TransportSink)?
    private var reported = 0
    private var hasOpenLine = false

    /// How many rejections are shown; the others are only counted.
    private static let limit = 10

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - console: Where to say it.
    ///   - file: Where to keep the lines.
    init(_ console: Console, keepingLinesIn file: (any TransportSink)?) {
        self.console = console
        self.file = file
    }

    /// Reports the rejections of a batch, of which there is at least one.
    mutating func report(_ batch: borrowing RecordBatch) throws(TransportError) {
        // What the decoder rejected stands before what the consumer refused; people want the order of the input.
        let rejections = batch.rejections.sorted { $0.start < $1.start }
        var lines: [UInt8] = []
        for rejection in rejections {
            if !rejection.isContinuation { show(rejection, in: batch) }
            guard file != nil else { continue }
            if hasOpenLine, !rejection.isContinuation { lines.append(UInt8(ascii: "\n")) }
            lines += batch.raw(rejection)
            hasOpenLine = true
        }
        try file?.write(lines.span)
    }

    /// Ends the last line that was kept.
    mutating func finish() throws(TransportError) {
        guard hasOpenLine else { return }
        hasOpenLine = false
        try file?.write([UInt8(ascii: "\n")].span)
    }

    private mutating func show(_ rejection: Rejection, in batch: borrowing RecordBatch) {
        guard reported <= Self.limit else { return }
        reported += 1
        guard reported <= Self.limit else {
            console.writeLine(
                "further rejections are only counted"
                    + (file == nil ? " (--rejected FILE keeps them)" : " here; the file has them all")
            )
            return
        }
        let excerpt = Excerpt.of(batch.raw(rejection), limit: 60)
        console.writeLine("line \(rejection.line) rejected: \(rejection.reason): \(excerpt)")
    }
}
