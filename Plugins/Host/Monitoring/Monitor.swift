internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Shows a run to people: over the control socket, in a file of metrics, on the terminal.
///
/// Nothing here touches the path of events: the pipelines say once per batch how they go, and this looks at that.
final class Monitor: Sendable {
    /// What was asked for.
    struct Request: Sendable {
        /// The path of the control socket; `nil` for the default one, which may be missing without an error.
        var control: String?
        var hasControl = true
        var metrics: String?
        var isLive = false

        /// Reads the options.
        ///
        /// - Throws: ``HostError`` when they contradict each other.
        init(_ options: [String: String]) throws(HostError) {
            control = options[.control]
            if control == "none" { (control, hasControl) = (nil, false) }
            metrics = options[.metrics]
            isLive = options[.live] != nil
        }
    }

    private let statuses: @Sendable () -> [PipelineStatus]
    private let console: Console
    private let socket: ControlSocket?
    private let metrics: String?
    private let screen: TerminalScreen?
    private let isEnding = Locked(false)
    private let wake = Parker()
    private let threads = WaitGroup()

    /// How often metrics are written and the display is drawn.
    private static let period = Duration.seconds(1)

    /// Begins.
    ///
    /// - Throws: ``HostError`` when something that was asked for cannot be opened.
    init(
        _ request: Request,
        writesToTerminal: Bool,
        console: Console,
        statuses: @escaping @Sendable () -> [PipelineStatus],
        isStopping: @escaping @Sendable () -> Bool,
        stop: @escaping @Sendable () -> Void
    ) throws(HostError) {
        self.statuses = statuses
        self.console = console
        metrics = request.metrics
        socket = try Self.openSocket(request, statuses)
        if let metrics { try Self.write(statuses(), to: metrics) }
        if request.isLive {
            guard !writesToTerminal else {
                throw .usage("--live needs the terminal for itself; send the matches elsewhere, such as with --to FILE")
            }
            guard let screen = TerminalScreen() else { throw .usage("--live needs a terminal") }
            self.screen = screen
            console.hold()
        } else {
            screen = nil
        }
        start("weir.metrics", if: metrics != nil) { monitor in monitor.writeMetrics() }
        start("weir.live", if: screen != nil) { monitor in monitor.showLive(isStopping, stop) }
    }

    /// Checks that what was asked for can be opened, and leaves nothing behind.
    ///
    /// - Throws: ``HostError`` when it cannot be.
    static func check(_ request: Request) throws(HostError) {
        if request.control != nil { try openSocket(request) { [] }?.remove() }
        guard let metrics = request.metrics else { return }
        do throws(TransportError) {
            try FileSystem.checkReplaceable(metrics)
        } catch {
            throw HostError(.cannotCreate, "--metrics: \(error)")
        }
    }

    private func start(_ name: String, if isWanted: Bool, _ body: @escaping @Sendable (Monitor) -> Void) {
        guard isWanted else { return }
        threads.enter()
        let isStarted = SystemThread.start(name) {
            body(self)
            self.threads.leave()
        }
        if !isStarted { threads.leave() }
    }

    private static func openSocket(
        _ request: Request,
        _ statuses: @escaping @Sendable () -> [PipelineStatus]
    ) throws(HostError) -> ControlSocket? {
        guard request.hasControl else { return nil }
        let path: String
        if let control = request.control {
            path = control
        } else {
            guard let folder = ControlSocket.privateFolder() else { return nil }
            ControlSocket.removeAbandoned(in: folder)
            path = "\(folder)/\(ProgramEnvironment.processNumber).sock"
        }
        do throws(TransportError) {
            return try ControlSocket(path: path) { question in
                switch question {
                case "": ""
                case "status": StatusReport.text(statuses())
                case "snapshot": StatusText.text(statuses())
                case "metrics": MetricsText.text(statuses())
                default: nil
                }
            }
        } catch {
            guard request.control != nil else { return nil }
            throw HostError(.cannotCreate, "--control: \(error)")
        }
    }

    /// Ends, after the metrics were written for the last time and the terminal was given back.
    func end() {
        isEnding.withLock { $0 = true }
        wake.unpark()
        threads.wait()
        screen?.giveBack()
        console.release()
        socket?.remove()
    }

    // MARK: Metrics

    private static func write(_ statuses: [PipelineStatus], to path: String) throws(HostError) {
        do throws(TransportError) {
            // Written anew in a second: waiting for the disk each time would only wear it.
            try FileSystem.replaceFile(path, with: Array(MetricsText.text(statuses).utf8), isDurable: false)
        } catch {
            throw HostError(.cannotCreate, "--metrics: \(error)")
        }
    }

    private func writeMetrics() {
        guard let metrics else { return }
        let clock = MonotonicClock()
        var hasComplained = false
        while true {
            let isLast = isEnding.withLock { $0 }
            do throws(HostError) {
                try Self.write(statuses(), to: metrics)
                hasComplained = false
            } catch {
                if !hasComplained { console.writeLine(error.message) }
                hasComplained = true
            }
            if isLast { return }
            wake.park(until: clock.now() + Self.period)
        }
    }

    // MARK: The display

    private func showLive(_ isOver: @escaping @Sendable () -> Bool, _ stop: @escaping @Sendable () -> Void) {
        guard let screen else { return }
        let ending = LiveDisplay(screen, title: "weir run").run(
            while: { !self.isEnding.withLock { $0 } && !isOver() },
            reports: { self.statuses().map(StatusReport.init) }
        )
        // At once: what happens from here on can be said, and a second Ctrl-C leaves the terminal as it was.
        screen.giveBack()
        console.release()
        if ending == .quit { stop() }
    }
}

/// Draws a ``LiveView`` on a terminal, and reads its keys.
struct LiveDisplay {
    /// Why a display ended.
    enum Ending {
        case over
        /// The key to quit was pressed.
        case quit
        /// There are no numbers any more.
        case unanswered
        /// The terminal went away.
        case terminalGone
    }

    private let screen: TerminalScreen
    private var view: LiveView
    private let clock = MonotonicClock()

    /// How long to wait for a key before looking whether the size has changed.
    private static let patience: Int32 = 250
    private static let period = Duration.seconds(1)

    init(_ screen: TerminalScreen, title: String) {
        self.screen = screen
        view = LiveView(title: title)
    }

    /// Draws until the user quits, the terminal goes away, or the run is over.
    ///
    /// - Parameters:
    ///   - isOn: Whether to go on.
    ///   - reports: The numbers now; `nil` ends the display.
    /// - Returns: Why it ended.
    func run(while isOn: () -> Bool, reports: () -> [StatusReport]?) -> Ending {
        var view = view
        let isColoured = Colour.isWanted
        var next = clock.now()
        var size = (columns: 0, rows: 0)
        var isStale = true
        while isOn() {
            let now = clock.now()
            let newSize = screen.size
            if newSize != size {
                size = newSize
                // What was drawn for another size is of no use.
                screen.show("\u{1B}[2J")
                isStale = true
            }
            if now >= next {
                next = now + Self.period
                guard let reports = reports() else { return .unanswered }
                view.update(reports, at: now)
                isStale = true
            }
            if isStale {
                let text = view.screen(columns: size.columns, rows: size.rows, isColoured: isColoured)
                guard screen.show(text) else { return .terminalGone }
                isStale = false
            }
            switch screen.readKey(milliseconds: Self.patience) {
            case .nothing: break
            case .gone: return .terminalGone
            case .character(let key):
                guard view.press(key) else { return .quit }
                isStale = true
            }
        }
        return .over
    }
}
