internal import WeirCore
internal import WeirFormats
internal import WeirNATS
internal import WeirRecords

/// The options of `weir run` that every plugin has.
extension OptionDeclaration {
    static let from = OptionDeclaration(
        "from",
        .list(placeholder: "ADDRESS"),
        help: "PATH, stdin, demo or an address; several: by time"
    )
    static let format = OptionDeclaration(
        "format",
        .text(placeholder: "FORMAT"),
        help: "'weir list formats' has them (default: by ending)"
    )
    static let framing = OptionDeclaration(
        "framing",
        .text(placeholder: "FRAMING"),
        help: "newline, or length before frames (default: newline)"
    )
    static let to = OptionDeclaration(
        "to",
        .list(placeholder: "ADDRESS"),
        help: "PATH, stdout or an address; several get the same"
    )
    static let output = OptionDeclaration(
        "output",
        .text(placeholder: "STYLE"),
        help: "json, pretty, csv or a template; 'weir help output'"
    )
    static let rejected = OptionDeclaration(
        "rejected",
        .text(placeholder: "FILE"),
        help: "keep rejected lines and messages in this file"
    )
    static let report = OptionDeclaration(
        "report",
        .text(placeholder: "FILE"),
        help: "write a page with charts of the run to this file"
    )
    static let strict = OptionDeclaration("strict", .flag, help: "exit with 1 when input was rejected or late")
    static let lateness = OptionDeclaration("lateness", .duration, help: "put records in order that come this late")
    static let late = OptionDeclaration(
        "late",
        .text(placeholder: "FILE"),
        help: "keep the lines that come later still in this file"
    )
    static let maxHeld = OptionDeclaration(
        "max-held",
        .integer(1...100_000_000),
        default: "1000000",
        help: "hold at most this many records"
    )
    static let maxAhead = OptionDeclaration(
        "max-ahead",
        .duration,
        help: "reject times this far ahead (default: live 1h, or none)"
    )
    static let maxLine = OptionDeclaration(
        "max-line",
        .byteCount(16...1 << 30),
        default: "1MiB",
        help: "reject lines that are longer"
    )
    static let seed = OptionDeclaration("seed", .text(placeholder: "N"), default: "1", help: "the seed of the demo")
    static let idleTimeout = OptionDeclaration(
        "idle-timeout",
        .duration,
        default: "1s",
        help: "stop waiting for an idle input after"
    )
    static let partitionBy = OptionDeclaration(
        "partition-by",
        .text(placeholder: "FIELD"),
        help: "spread records over workers by this field"
    )
    static let workers = OptionDeclaration(
        "workers",
        .integer(1...256),
        default: "1",
        help: "threads that read, or run partitions"
    )
    static let group = OptionDeclaration(
        "group",
        .text(placeholder: "NAME"),
        help: "share the work with others of this group; 'weir help groups'"
    )
    static let partitions = OptionDeclaration(
        "partitions",
        .integer(1...PartitionedMessage.limit),
        default: "\(KeyPartitions.count)",
        help: "over how many subjects keys are spread: SUBJECT.0, SUBJECT.1 and so on"
    )
    static let restarts = OptionDeclaration(
        "restarts",
        .integer(0...1_000_000),
        default: "10",
        help: "maximum restarts of a pipeline"
    )
    static let config = OptionDeclaration("config", .text(placeholder: "FILE"), help: "run the pipelines of this file")
    static let control = OptionDeclaration(
        "control",
        .text(placeholder: "SOCKET"),
        help: "answer 'weir top' at this socket, or 'none'"
    )
    static let metrics = OptionDeclaration(
        "metrics",
        .text(placeholder: "FILE"),
        help: "keep numbers for Prometheus in this file"
    )
    static let live = OptionDeclaration("live", .flag, help: "show the state of the run on the terminal")

    /// The option that every command has.
    static let showHelp = OptionDeclaration("help", .flag, help: "show this page")
}

/// The options of `weir run` in groups.
enum RunOptions {
    static let all: [OptionDeclaration] = [
        .from, .format, .delimiter, .quote, .comment, .header, .framing, .to, .output, .rejected, .report, .strict,
        .lateness, .late, .maxHeld, .maxAhead,
        .maxLine, .seed, .idleTimeout, .partitionBy, .workers, .state, .checkpoint,
        .stateMismatch, .fsync, .journal, .journalLimit, .journalFull, .group, .partitions, .restarts, .config,
        .control,
        .metrics, .live, .showHelp,
    ]

    /// Those that most people need; the others stand in `weir help options` only.
    static let common: [OptionDeclaration] = [.from, .format, .to, .output, .rejected, .report, .live, .showHelp]

    /// Those that are about times, which have a page of their own.
    static let ofTimes: [OptionDeclaration] = [.lateness, .late, .maxHeld, .maxAhead]

    /// Those that are about the state, which have a page of their own.
    static let ofCheckpoints: [OptionDeclaration] = [.state, .checkpoint, .stateMismatch, .fsync]

    /// Those that are about journals, which have a page of their own.
    static let ofJournals: [OptionDeclaration] = [.journal, .journalLimit, .journalFull]

    /// Those that are about groups, which have a page of their own.
    static let ofGroups: [OptionDeclaration] = [
        .group, .partitions, OptionDeclaration("checkpoint", .duration, default: "1s", help: "commit this often"),
        .stateMismatch,
    ]

    /// Those that are about tables, which have a page of their own.
    static let ofTables: [OptionDeclaration] = [.delimiter, .quote, .comment, .header]

    /// Those that are about the program; a configuration has the others for each pipeline.
    static let ofProgram: [OptionDeclaration] = [.config, .control, .metrics, .live, .showHelp]

    static let names = Set(all.map(\.name))
    static let namesOfProgram = Set(ofProgram.map(\.name))
}
