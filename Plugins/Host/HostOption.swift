/// The options of `weir run` that every plugin has.
enum HostOption: String, CaseIterable {
    case from
    case format
    case framing
    case to
    case rejected
    case report
    case strict
    case maxLine = "max-line"
    case seed
    case help

    /// What stands for the value in the help; `nil` where the option takes none.
    var placeholder: String? {
        switch self {
        case .from, .to: "ADDRESS"
        case .format: "FORMAT"
        case .framing: "FRAMING"
        case .rejected, .report: "FILE"
        case .maxLine: "SIZE"
        case .seed: "N"
        case .strict, .help: nil
        }
    }

    /// What it does, in a few words.
    var meaning: String {
        switch self {
        case .from:
            "PATH, stdin, demo, or a transport's address such as udp://:9000 (default: stdin where it is no terminal)"
        case .format: "csv, jsonl or binary (default: by the file's ending, otherwise csv)"
        case .framing: "newline, or length: frames of records, each after its length (default: newline)"
        case .to: "stdout, file:PATH or another transport's address (default: stdout)"
        case .rejected: "keep the rejected lines in this file"
        case .report: "write a page with charts of the run to this file"
        case .strict: "exit with 1 when input was rejected"
        case .maxLine: "reject lines that are longer (default: 1MiB)"
        case .seed: "the seed of the demo (default: 1)"
        case .help: "show this page"
        }
    }
}
