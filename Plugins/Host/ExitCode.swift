/// How the program ends; the numbers from 64 are those of `sysexits.h`.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case inputRejected = 1
    case usage = 2
    case rulesLeftOut = 3
    case allRejected = 65
    case noInput = 66
    case cannotLoad = 69
    case internalError = 70
    case cannotCreate = 73
    case outputFailed = 74
    case badConfiguration = 78
    case interrupted = 130

    /// What it means, for the help.
    var meaning: String {
        switch self {
        case .done: "done; also when the reader of the matches went away, as in '| head'"
        case .inputRejected:
            "done, but input was rejected or late, with --strict; or a test failed"
        case .usage: "the command line is wrong, or the query"
        case .rulesLeftOut: "done, but some rules could not be used"
        case .allRejected: "done, but all input was rejected or late, and --strict was not given"
        case .noInput: "the input cannot be opened, or not be read as asked"
        case .cannotLoad: "a plugin's library cannot be loaded"
        case .internalError: "a defect in weir"
        case .cannotCreate: "an output cannot be opened"
        case .outputFailed: "an output cannot be written any further"
        case .badConfiguration: "the configuration file cannot be used"
        case .interrupted: "stopped by Ctrl-C, SIGTERM or SIGHUP; a second one ends at once"
        }
    }
}
