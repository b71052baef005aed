internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Standard error: what people should read.
///
/// A closed standard error is no reason to stop, so nothing here fails.
///
/// Thread safety: any thread; lines do not mix.
final class Console: Sendable {
    private struct Screen {
        let sink: (any TransportSink)?
        /// Whether there is a line that will be replaced.
        var hasProgress = false
        /// What waits until a display is over.
        var held: String?
    }

    /// How much is kept while a display has the terminal; what comes then is shown first.
    private static let heldLimit = 64 << 10

    private let screen: Locked<Screen>

    /// Creates a console on standard error.
    convenience init() {
        self.init(try? StandardStream.openErrorSink())
    }

    /// Creates a console.
    init(_ sink: sending (any TransportSink)?) {
        screen = Locked(Screen(sink: sink))
    }

    /// Writes a line that says who speaks; control characters in what others wrote are replaced.
    func writeLine(_ message: String, about pipeline: String? = nil) {
        show(Excerpt.line("weir: \(pipeline.map { "[\($0)] " } ?? "")\(message)") + "\n")
    }

    /// Writes an error, with the place in a text that it is about.
    func write(_ error: HostError, about pipeline: String? = nil) {
        writeLine(error.message, about: pipeline)
        if !error.excerpt.isEmpty { write(error.excerpt + "\n") }
    }

    /// Writes lines, after taking away the line about progress; control characters in what others wrote are replaced.
    func write(_ lines: String) {
        let text = lines.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Excerpt.line(String(Substring($0))) }.joined(separator: "\n")
        show(text)
    }

    private func show(_ text: String) {
        screen.withLock { screen in
            if let held = screen.held {
                if held.utf8.count < Self.heldLimit { screen.held = held + text }
                return
            }
            let text = (screen.hasProgress ? "\r\u{1B}[K" : "") + text
            screen.hasProgress = false
            try? screen.sink?.write(Array(text.utf8))
        }
    }

    /// Shows a line that the next one replaces.
    func showProgress(_ message: String) {
        screen.withLock { screen in
            guard screen.held == nil else { return }
            screen.hasProgress = true
            try? screen.sink?.write(Array("\r\u{1B}[Kweir: \(Excerpt.line(message))".utf8))
        }
    }

    /// Keeps what is written until ``release()``, because a display has the terminal.
    func hold() {
        screen.withLock { $0.held = "" }
    }

    /// Writes what was kept.
    func release() {
        guard let held = screen.withLock({ exchange(&$0.held, with: nil) }), !held.isEmpty else { return }
        show(held)
    }

    /// Takes the line about progress away.
    func eraseProgress() {
        screen.withLock { screen in
            guard screen.hasProgress else { return }
            screen.hasProgress = false
            try? screen.sink?.write(Array("\r\u{1B}[K".utf8))
        }
    }
}
