internal import WeirCore
internal import WeirFiles

/// Standard error: what people should read.
///
/// A closed standard error is no reason to stop, so nothing here fails.
struct Console {
    private let sink: (any TransportSink)?

    /// Creates a console.
    ///
    /// - Parameter sink: Takes what is written.
    init(_ sink: (any TransportSink)? = try? StandardStream.openErrorSink()) {
        self.sink = sink
    }

    /// Writes a line that says who speaks.
    func writeLine(_ message: String) {
        write("weir: \(message)\n")
    }

    /// Writes text as it is.
    func write(_ text: String) {
        try? sink?.write(Array(text.utf8).span)
    }
}
