/// The options of `weir run` that every plugin has.
enum HostOption: String, CaseIterable {
    case from
    case format
    case framing
    case to
    case output
    case rejected
    case report
    case strict
    case maxLine = "max-line"
    case seed
    case idleTimeout = "idle-timeout"
    case partitionBy = "partition-by"
    case workers
    case restarts
    case config
    case control
    case metrics
    case live
    case help

    /// What stands for the value in the help; `nil` where the option takes none.
    var placeholder: String? {
        switch self {
        case .from, .to: "ADDRESS"
        case .format: "FORMAT"
        case .framing: "FRAMING"
        case .output: "STYLE"
        case .rejected, .report, .config, .metrics: "FILE"
        case .control: "SOCKET"
        case .maxLine: "SIZE"
        case .idleTimeout: "DURATION"
        case .partitionBy: "FIELD"
        case .seed, .workers, .restarts: "N"
        case .strict, .live, .help: nil
        }
    }

    /// Whether it may be given several times.
    var isRepeatable: Bool { self == .from || self == .to }

    /// Whether it is about one pipeline, so that a configuration has it for each.
    var isOfPipeline: Bool { !Self.ofProgram.contains(self) }

    /// Those that most people need; the others stand in `weir run --help` only.
    static let common: [HostOption] = [.from, .format, .to, .output, .rejected, .report, .live, .help]

    /// Those that are about the program.
    static let ofProgram: [HostOption] = [.config, .control, .metrics, .live, .help]

    /// What it does, in a few words.
    var meaning: String {
        switch self {
        case .from: "PATH, stdin, demo or an address; several: by time"
        case .format: "csv, jsonl or binary (default: by the ending)"
        case .framing: "newline, or length before frames (default: newline)"
        case .to: "PATH, stdout or an address; several get the same"
        case .output: "json, pretty, csv, or template:TEXT with '{field}'"
        case .rejected: "keep the rejected lines in this file"
        case .report: "write a page with charts of the run to this file"
        case .strict: "exit with 1 when input was rejected"
        case .maxLine: "reject lines that are longer (default: 1MiB)"
        case .seed: "the seed of the demo (default: 1)"
        case .idleTimeout: "an input holds up the others no longer (default: 1s)"
        case .partitionBy: "spread records over workers by this field"
        case .workers: "how many, each with limits of its own (default: 1)"
        case .restarts: "restart a configured pipeline so often (default: 10)"
        case .config: "run the pipelines of this file"
        case .control: "where 'weir top' gets its answers, or 'none'"
        case .metrics: "keep numbers for Prometheus in this file"
        case .live: "show on the terminal how it goes"
        case .help: "show this page"
        }
    }
}
