internal import WeirCore

/// The options of `weir convert`.
enum ConvertOption: String, CaseIterable {
    case from
    case to
    case format
    case toFormat = "to-format"
    case columns
    case schema
    case timeUnit = "time-unit"
    case framing
    case toFraming = "to-framing"
    case rejected
    case strict
    case maxLine = "max-line"
    case help

    /// What stands for the value in the help; `nil` where the option takes none.
    var placeholder: String? {
        switch self {
        case .from, .to: "ADDRESS"
        case .format, .toFormat: "FORMAT"
        case .columns: "NAMES"
        case .schema: "TYPES"
        case .timeUnit: TimeUnit.allCases.map(\.rawValue).joined(separator: "|")
        case .framing, .toFraming: "FRAMING"
        case .rejected: "FILE"
        case .maxLine: "SIZE"
        case .strict, .help: nil
        }
    }

    /// What it does, in a few words.
    var meaning: String {
        switch self {
        case .from: "the input: file:PATH or PATH, stdin or - (default: stdin)"
        case .to: "the output: file:PATH or PATH, stdout or - (default: stdout)"
        case .format: "csv, jsonl or binary (default: by the input's ending, otherwise csv)"
        case .toFormat: "the same for the output (default: by its ending, otherwise jsonl)"
        case .columns:
            "fields to write, in this order, such as time,price,volume=size (default: all; of a pipe of JSON Lines, "
                + "those in its first MiB)"
        case .schema:
            "types, such as time=time,price=float; the types are "
                + FieldType.allCases.map(\.rawValue).joined(separator: ", ") + " (default: as the values are written)"
        case .timeUnit: "what a time counts that is a bare number (default: ms)"
        case .framing: "newline, or length: frames of records, each after its length (default: newline)"
        case .toFraming: "the same for the output"
        case .rejected: "keep the rejected lines in this file"
        case .strict: "exit with 1 when input was rejected"
        case .maxLine: "reject lines and blocks that are longer (default: 1MiB)"
        case .help: "show this page"
        }
    }

    /// The page of the help.
    static var page: HelpPage {
        HelpPage(
            summary: "Writes the records of an input in another format.",
            examples: [
                (
                    "weir convert trades.csv trades.weir",
                    "as typed columns: the fastest to read, and at most half the size"
                ),
                ("weir convert trades.weir --columns time,price --to-format csv | less", ""),
                ("weir convert - day.weir --format jsonl --schema time=time,price=float < day.jsonl", ""),
            ],
            usage: "weir convert [INPUT [OUTPUT]] [OPTIONS]",
            sections: [
                (
                    "Options",
                    allCases.map { option in
                        ("--\(option.rawValue)" + (option.placeholder.map { " " + $0 } ?? ""), option.meaning)
                    }
                )
            ],
            remark: "Numbers keep all of their digits, and what does not fit is rejected. CSV has no\n"
                + "types and no null.",
            more: "'weir help convert' says more."
        )
    }
}
